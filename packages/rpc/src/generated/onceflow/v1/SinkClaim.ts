// Original file: ../../proto/onceflow/v1/admin.proto


export interface SinkClaim {
  'sink'?: (string);
  'guarantee'?: (string);
  'reason'?: (string);
}

export interface SinkClaim__Output {
  'sink': (string);
  'guarantee': (string);
  'reason': (string);
}
