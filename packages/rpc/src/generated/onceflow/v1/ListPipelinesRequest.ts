// Original file: ../../proto/onceflow/v1/admin.proto


export interface ListPipelinesRequest {
  'pageSize'?: (number);
  'pageToken'?: (string);
}

export interface ListPipelinesRequest__Output {
  'pageSize': (number);
  'pageToken': (string);
}
