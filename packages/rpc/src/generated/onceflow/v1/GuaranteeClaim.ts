// Original file: ../../proto/onceflow/v1/control.proto


export interface GuaranteeClaim {
  'sink'?: (string);
  'guarantee'?: (string);
  'reason'?: (string);
}

export interface GuaranteeClaim__Output {
  'sink': (string);
  'guarantee': (string);
  'reason': (string);
}
