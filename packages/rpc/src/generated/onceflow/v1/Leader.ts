// Original file: ../../proto/onceflow/v1/admin.proto

import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from '../../google/protobuf/Timestamp.ts';
import type { Long } from '@grpc/proto-loader';

export interface Leader {
  'id'?: (string);
  'address'?: (string);
  'leaderEpoch'?: (number | string | Long);
  'sinceTime'?: (_google_protobuf_Timestamp | null);
}

export interface Leader__Output {
  'id': (string);
  'address': (string);
  'leaderEpoch': (string);
  'sinceTime': (_google_protobuf_Timestamp__Output | null);
}
