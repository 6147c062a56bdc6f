// Original file: ../../proto/onceflow/v1/control.proto


export interface FindLeaderRequest {
}

export interface FindLeaderRequest__Output {
}
