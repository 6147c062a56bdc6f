// Original file: ../../proto/onceflow/v1/admin.proto


// Original file: ../../proto/onceflow/v1/admin.proto

export const _onceflow_v1_Coordinator_Role = {
  ROLE_UNSPECIFIED: 'ROLE_UNSPECIFIED',
  ROLE_LEADER: 'ROLE_LEADER',
  ROLE_FOLLOWER: 'ROLE_FOLLOWER',
} as const;

export type _onceflow_v1_Coordinator_Role =
  | 'ROLE_UNSPECIFIED'
  | 0
  | 'ROLE_LEADER'
  | 1
  | 'ROLE_FOLLOWER'
  | 2

export type _onceflow_v1_Coordinator_Role__Output = typeof _onceflow_v1_Coordinator_Role[keyof typeof _onceflow_v1_Coordinator_Role]

export interface Coordinator {
  'id'?: (string);
  'address'?: (string);
  'role'?: (_onceflow_v1_Coordinator_Role);
}

export interface Coordinator__Output {
  'id': (string);
  'address': (string);
  'role': (_onceflow_v1_Coordinator_Role__Output);
}
