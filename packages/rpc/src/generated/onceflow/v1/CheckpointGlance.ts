// Original file: ../../proto/onceflow/v1/admin.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';
import type { Long } from '@grpc/proto-loader';

export interface CheckpointGlance {
  'checkpoint'?: (number | string | Long);
  'decideTime'?: (_google_protobuf_Timestamp | null);
  'durationMs'?: (number | string);
}

export interface CheckpointGlance__Output {
  'checkpoint': (string);
  'decideTime': (_google_protobuf_Timestamp__Output | null);
  'durationMs': (number);
}
