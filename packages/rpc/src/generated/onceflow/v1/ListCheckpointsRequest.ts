// Original file: ../../proto/onceflow/v1/admin.proto


export interface ListCheckpointsRequest {
  'parent'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
}

export interface ListCheckpointsRequest__Output {
  'parent': (string);
  'pageSize': (number);
  'pageToken': (string);
}
