// Original file: ../../proto/onceflow/v1/admin.proto


export interface ListTransactionsRequest {
  'parent'?: (string);
  'pageSize'?: (number);
  'pageToken'?: (string);
}

export interface ListTransactionsRequest__Output {
  'parent': (string);
  'pageSize': (number);
  'pageToken': (string);
}
