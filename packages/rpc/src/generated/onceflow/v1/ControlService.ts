// Original file: ../../proto/onceflow/v1/control.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ConnectRequest as _onceflow_v1_ConnectRequest, ConnectRequest__Output as _onceflow_v1_ConnectRequest__Output } from '../../onceflow/v1/ConnectRequest.ts';
import type { ConnectResponse as _onceflow_v1_ConnectResponse, ConnectResponse__Output as _onceflow_v1_ConnectResponse__Output } from '../../onceflow/v1/ConnectResponse.ts';
import type { FindLeaderRequest as _onceflow_v1_FindLeaderRequest, FindLeaderRequest__Output as _onceflow_v1_FindLeaderRequest__Output } from '../../onceflow/v1/FindLeaderRequest.ts';
import type { FindLeaderResponse as _onceflow_v1_FindLeaderResponse, FindLeaderResponse__Output as _onceflow_v1_FindLeaderResponse__Output } from '../../onceflow/v1/FindLeaderResponse.ts';

export interface ControlServiceClient extends grpc.Client {
  Connect(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_onceflow_v1_ConnectRequest, _onceflow_v1_ConnectResponse__Output>;
  Connect(options?: grpc.CallOptions): grpc.ClientDuplexStream<_onceflow_v1_ConnectRequest, _onceflow_v1_ConnectResponse__Output>;
  connect(metadata: grpc.Metadata, options?: grpc.CallOptions): grpc.ClientDuplexStream<_onceflow_v1_ConnectRequest, _onceflow_v1_ConnectResponse__Output>;
  connect(options?: grpc.CallOptions): grpc.ClientDuplexStream<_onceflow_v1_ConnectRequest, _onceflow_v1_ConnectResponse__Output>;
  
  FindLeader(argument: _onceflow_v1_FindLeaderRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_FindLeaderResponse__Output>): grpc.ClientUnaryCall;
  FindLeader(argument: _onceflow_v1_FindLeaderRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_FindLeaderResponse__Output>): grpc.ClientUnaryCall;
  FindLeader(argument: _onceflow_v1_FindLeaderRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_FindLeaderResponse__Output>): grpc.ClientUnaryCall;
  FindLeader(argument: _onceflow_v1_FindLeaderRequest, callback: grpc.requestCallback<_onceflow_v1_FindLeaderResponse__Output>): grpc.ClientUnaryCall;
  findLeader(argument: _onceflow_v1_FindLeaderRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_FindLeaderResponse__Output>): grpc.ClientUnaryCall;
  findLeader(argument: _onceflow_v1_FindLeaderRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_FindLeaderResponse__Output>): grpc.ClientUnaryCall;
  findLeader(argument: _onceflow_v1_FindLeaderRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_FindLeaderResponse__Output>): grpc.ClientUnaryCall;
  findLeader(argument: _onceflow_v1_FindLeaderRequest, callback: grpc.requestCallback<_onceflow_v1_FindLeaderResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface ControlServiceHandlers extends grpc.UntypedServiceImplementation {
  Connect: grpc.handleBidiStreamingCall<_onceflow_v1_ConnectRequest__Output, _onceflow_v1_ConnectResponse>;
  
  FindLeader: grpc.handleUnaryCall<_onceflow_v1_FindLeaderRequest__Output, _onceflow_v1_FindLeaderResponse>;
  
}

export interface ControlServiceDefinition extends grpc.ServiceDefinition {
  Connect: MethodDefinition<_onceflow_v1_ConnectRequest, _onceflow_v1_ConnectResponse, _onceflow_v1_ConnectRequest__Output, _onceflow_v1_ConnectResponse__Output>
  FindLeader: MethodDefinition<_onceflow_v1_FindLeaderRequest, _onceflow_v1_FindLeaderResponse, _onceflow_v1_FindLeaderRequest__Output, _onceflow_v1_FindLeaderResponse__Output>
}
