// Original file: ../../proto/onceflow/v1/admin.proto


export interface GetCheckpointRequest {
  'name'?: (string);
}

export interface GetCheckpointRequest__Output {
  'name': (string);
}
