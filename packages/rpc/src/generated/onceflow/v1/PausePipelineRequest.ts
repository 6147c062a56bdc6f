// Original file: ../../proto/onceflow/v1/admin.proto


export interface PausePipelineRequest {
  'name'?: (string);
  'etag'?: (string);
  'validateOnly'?: (boolean);
  'requestId'?: (string);
}

export interface PausePipelineRequest__Output {
  'name': (string);
  'etag': (string);
  'validateOnly': (boolean);
  'requestId': (string);
}
