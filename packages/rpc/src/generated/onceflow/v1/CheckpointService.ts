// Original file: ../../proto/onceflow/v1/admin.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { GetCheckpointRequest as _onceflow_v1_GetCheckpointRequest, GetCheckpointRequest__Output as _onceflow_v1_GetCheckpointRequest__Output } from '../../onceflow/v1/GetCheckpointRequest.ts';
import type { GetCheckpointResponse as _onceflow_v1_GetCheckpointResponse, GetCheckpointResponse__Output as _onceflow_v1_GetCheckpointResponse__Output } from '../../onceflow/v1/GetCheckpointResponse.ts';
import type { ListCheckpointsRequest as _onceflow_v1_ListCheckpointsRequest, ListCheckpointsRequest__Output as _onceflow_v1_ListCheckpointsRequest__Output } from '../../onceflow/v1/ListCheckpointsRequest.ts';
import type { ListCheckpointsResponse as _onceflow_v1_ListCheckpointsResponse, ListCheckpointsResponse__Output as _onceflow_v1_ListCheckpointsResponse__Output } from '../../onceflow/v1/ListCheckpointsResponse.ts';

export interface CheckpointServiceClient extends grpc.Client {
  GetCheckpoint(argument: _onceflow_v1_GetCheckpointRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_GetCheckpointResponse__Output>): grpc.ClientUnaryCall;
  GetCheckpoint(argument: _onceflow_v1_GetCheckpointRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_GetCheckpointResponse__Output>): grpc.ClientUnaryCall;
  GetCheckpoint(argument: _onceflow_v1_GetCheckpointRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_GetCheckpointResponse__Output>): grpc.ClientUnaryCall;
  GetCheckpoint(argument: _onceflow_v1_GetCheckpointRequest, callback: grpc.requestCallback<_onceflow_v1_GetCheckpointResponse__Output>): grpc.ClientUnaryCall;
  getCheckpoint(argument: _onceflow_v1_GetCheckpointRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_GetCheckpointResponse__Output>): grpc.ClientUnaryCall;
  getCheckpoint(argument: _onceflow_v1_GetCheckpointRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_GetCheckpointResponse__Output>): grpc.ClientUnaryCall;
  getCheckpoint(argument: _onceflow_v1_GetCheckpointRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_GetCheckpointResponse__Output>): grpc.ClientUnaryCall;
  getCheckpoint(argument: _onceflow_v1_GetCheckpointRequest, callback: grpc.requestCallback<_onceflow_v1_GetCheckpointResponse__Output>): grpc.ClientUnaryCall;
  
  ListCheckpoints(argument: _onceflow_v1_ListCheckpointsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_ListCheckpointsResponse__Output>): grpc.ClientUnaryCall;
  ListCheckpoints(argument: _onceflow_v1_ListCheckpointsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_ListCheckpointsResponse__Output>): grpc.ClientUnaryCall;
  ListCheckpoints(argument: _onceflow_v1_ListCheckpointsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_ListCheckpointsResponse__Output>): grpc.ClientUnaryCall;
  ListCheckpoints(argument: _onceflow_v1_ListCheckpointsRequest, callback: grpc.requestCallback<_onceflow_v1_ListCheckpointsResponse__Output>): grpc.ClientUnaryCall;
  listCheckpoints(argument: _onceflow_v1_ListCheckpointsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_ListCheckpointsResponse__Output>): grpc.ClientUnaryCall;
  listCheckpoints(argument: _onceflow_v1_ListCheckpointsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_ListCheckpointsResponse__Output>): grpc.ClientUnaryCall;
  listCheckpoints(argument: _onceflow_v1_ListCheckpointsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_ListCheckpointsResponse__Output>): grpc.ClientUnaryCall;
  listCheckpoints(argument: _onceflow_v1_ListCheckpointsRequest, callback: grpc.requestCallback<_onceflow_v1_ListCheckpointsResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface CheckpointServiceHandlers extends grpc.UntypedServiceImplementation {
  GetCheckpoint: grpc.handleUnaryCall<_onceflow_v1_GetCheckpointRequest__Output, _onceflow_v1_GetCheckpointResponse>;
  
  ListCheckpoints: grpc.handleUnaryCall<_onceflow_v1_ListCheckpointsRequest__Output, _onceflow_v1_ListCheckpointsResponse>;
  
}

export interface CheckpointServiceDefinition extends grpc.ServiceDefinition {
  GetCheckpoint: MethodDefinition<_onceflow_v1_GetCheckpointRequest, _onceflow_v1_GetCheckpointResponse, _onceflow_v1_GetCheckpointRequest__Output, _onceflow_v1_GetCheckpointResponse__Output>
  ListCheckpoints: MethodDefinition<_onceflow_v1_ListCheckpointsRequest, _onceflow_v1_ListCheckpointsResponse, _onceflow_v1_ListCheckpointsRequest__Output, _onceflow_v1_ListCheckpointsResponse__Output>
}
