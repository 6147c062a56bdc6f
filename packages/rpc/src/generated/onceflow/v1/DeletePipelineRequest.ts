// Original file: ../../proto/onceflow/v1/admin.proto


export interface DeletePipelineRequest {
  'name'?: (string);
  'etag'?: (string);
  'validateOnly'?: (boolean);
  'requestId'?: (string);
}

export interface DeletePipelineRequest__Output {
  'name': (string);
  'etag': (string);
  'validateOnly': (boolean);
  'requestId': (string);
}
