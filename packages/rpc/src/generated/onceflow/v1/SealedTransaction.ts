// Original file: ../../proto/onceflow/v1/admin.proto


export interface SealedTransaction {
  'sink'?: (string);
  'subtask'?: (number);
  'empty'?: (boolean);
}

export interface SealedTransaction__Output {
  'sink': (string);
  'subtask': (number);
  'empty': (boolean);
}
