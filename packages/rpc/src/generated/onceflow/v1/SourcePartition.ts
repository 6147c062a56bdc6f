// Original file: ../../proto/onceflow/v1/control.proto


export interface SourcePartition {
  'topic'?: (string);
  'topicId'?: (string);
  'partition'?: (number);
}

export interface SourcePartition__Output {
  'topic': (string);
  'topicId': (string);
  'partition': (number);
}
