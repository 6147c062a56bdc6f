// Original file: ../../proto/onceflow/v1/admin.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { GetStatusRequest as _onceflow_v1_GetStatusRequest, GetStatusRequest__Output as _onceflow_v1_GetStatusRequest__Output } from '../../onceflow/v1/GetStatusRequest.ts';
import type { GetStatusResponse as _onceflow_v1_GetStatusResponse, GetStatusResponse__Output as _onceflow_v1_GetStatusResponse__Output } from '../../onceflow/v1/GetStatusResponse.ts';

export interface ClusterServiceClient extends grpc.Client {
  GetStatus(argument: _onceflow_v1_GetStatusRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  GetStatus(argument: _onceflow_v1_GetStatusRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  GetStatus(argument: _onceflow_v1_GetStatusRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  GetStatus(argument: _onceflow_v1_GetStatusRequest, callback: grpc.requestCallback<_onceflow_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  getStatus(argument: _onceflow_v1_GetStatusRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  getStatus(argument: _onceflow_v1_GetStatusRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  getStatus(argument: _onceflow_v1_GetStatusRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  getStatus(argument: _onceflow_v1_GetStatusRequest, callback: grpc.requestCallback<_onceflow_v1_GetStatusResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface ClusterServiceHandlers extends grpc.UntypedServiceImplementation {
  GetStatus: grpc.handleUnaryCall<_onceflow_v1_GetStatusRequest__Output, _onceflow_v1_GetStatusResponse>;
  
}

export interface ClusterServiceDefinition extends grpc.ServiceDefinition {
  GetStatus: MethodDefinition<_onceflow_v1_GetStatusRequest, _onceflow_v1_GetStatusResponse, _onceflow_v1_GetStatusRequest__Output, _onceflow_v1_GetStatusResponse__Output>
}
