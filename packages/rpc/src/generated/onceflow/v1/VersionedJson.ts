// Original file: ../../proto/onceflow/v1/control.proto


export interface VersionedJson {
  'version'?: (number);
  'json'?: (Buffer | Uint8Array | string);
}

export interface VersionedJson__Output {
  'version': (number);
  'json': (Buffer);
}
