// Original file: ../../proto/onceflow/v1/control.proto


export interface FindLeaderResponse {
  'leaderAddress'?: (string);
  'answeredByLeader'?: (boolean);
}

export interface FindLeaderResponse__Output {
  'leaderAddress': (string);
  'answeredByLeader': (boolean);
}
