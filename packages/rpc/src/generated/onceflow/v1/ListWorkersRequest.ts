// Original file: ../../proto/onceflow/v1/admin.proto


export interface ListWorkersRequest {
  'pageSize'?: (number);
  'pageToken'?: (string);
}

export interface ListWorkersRequest__Output {
  'pageSize': (number);
  'pageToken': (string);
}
