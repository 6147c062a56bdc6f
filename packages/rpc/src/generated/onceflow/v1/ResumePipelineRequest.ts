// Original file: ../../proto/onceflow/v1/admin.proto


export interface ResumePipelineRequest {
  'name'?: (string);
  'etag'?: (string);
  'validateOnly'?: (boolean);
  'requestId'?: (string);
}

export interface ResumePipelineRequest__Output {
  'name': (string);
  'etag': (string);
  'validateOnly': (boolean);
  'requestId': (string);
}
