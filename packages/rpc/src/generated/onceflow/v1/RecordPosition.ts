// Original file: ../../proto/onceflow/v1/common.proto

import type { Long } from '@grpc/proto-loader';

export interface RecordPosition {
  'topic'?: (string);
  'partition'?: (number);
  'offset'?: (number | string | Long);
}

export interface RecordPosition__Output {
  'topic': (string);
  'partition': (number);
  'offset': (string);
}
