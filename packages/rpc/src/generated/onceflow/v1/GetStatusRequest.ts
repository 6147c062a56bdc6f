// Original file: ../../proto/onceflow/v1/admin.proto


export interface GetStatusRequest {
}

export interface GetStatusRequest__Output {
}
