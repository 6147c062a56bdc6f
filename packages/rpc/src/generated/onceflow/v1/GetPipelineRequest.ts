// Original file: ../../proto/onceflow/v1/admin.proto


export interface GetPipelineRequest {
  'name'?: (string);
}

export interface GetPipelineRequest__Output {
  'name': (string);
}
