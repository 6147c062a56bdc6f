// Original file: ../../proto/onceflow/v1/common.proto

import type { Long } from '@grpc/proto-loader';

export interface Position {
  'topic'?: (string);
  'topicId'?: (string);
  'partition'?: (number);
  'offset'?: (number | string | Long);
  'leaderEpoch'?: (number);
}

export interface Position__Output {
  'topic': (string);
  'topicId': (string);
  'partition': (number);
  'offset': (string);
  'leaderEpoch': (number);
}
