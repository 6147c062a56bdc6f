// Original file: ../../proto/onceflow/v1/admin.proto


export interface GetWorkerRequest {
  'name'?: (string);
}

export interface GetWorkerRequest__Output {
  'name': (string);
}
