// Original file: ../../proto/onceflow/v1/control.proto


export interface ResolveDone {
}

export interface ResolveDone__Output {
}
