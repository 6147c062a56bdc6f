// Original file: ../../proto/onceflow/v1/admin.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { GetWorkerRequest as _onceflow_v1_GetWorkerRequest, GetWorkerRequest__Output as _onceflow_v1_GetWorkerRequest__Output } from '../../onceflow/v1/GetWorkerRequest.ts';
import type { GetWorkerResponse as _onceflow_v1_GetWorkerResponse, GetWorkerResponse__Output as _onceflow_v1_GetWorkerResponse__Output } from '../../onceflow/v1/GetWorkerResponse.ts';
import type { ListWorkersRequest as _onceflow_v1_ListWorkersRequest, ListWorkersRequest__Output as _onceflow_v1_ListWorkersRequest__Output } from '../../onceflow/v1/ListWorkersRequest.ts';
import type { ListWorkersResponse as _onceflow_v1_ListWorkersResponse, ListWorkersResponse__Output as _onceflow_v1_ListWorkersResponse__Output } from '../../onceflow/v1/ListWorkersResponse.ts';

export interface WorkerServiceClient extends grpc.Client {
  GetWorker(argument: _onceflow_v1_GetWorkerRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_GetWorkerResponse__Output>): grpc.ClientUnaryCall;
  GetWorker(argument: _onceflow_v1_GetWorkerRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_GetWorkerResponse__Output>): grpc.ClientUnaryCall;
  GetWorker(argument: _onceflow_v1_GetWorkerRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_GetWorkerResponse__Output>): grpc.ClientUnaryCall;
  GetWorker(argument: _onceflow_v1_GetWorkerRequest, callback: grpc.requestCallback<_onceflow_v1_GetWorkerResponse__Output>): grpc.ClientUnaryCall;
  getWorker(argument: _onceflow_v1_GetWorkerRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_GetWorkerResponse__Output>): grpc.ClientUnaryCall;
  getWorker(argument: _onceflow_v1_GetWorkerRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_GetWorkerResponse__Output>): grpc.ClientUnaryCall;
  getWorker(argument: _onceflow_v1_GetWorkerRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_GetWorkerResponse__Output>): grpc.ClientUnaryCall;
  getWorker(argument: _onceflow_v1_GetWorkerRequest, callback: grpc.requestCallback<_onceflow_v1_GetWorkerResponse__Output>): grpc.ClientUnaryCall;
  
  ListWorkers(argument: _onceflow_v1_ListWorkersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_ListWorkersResponse__Output>): grpc.ClientUnaryCall;
  ListWorkers(argument: _onceflow_v1_ListWorkersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_ListWorkersResponse__Output>): grpc.ClientUnaryCall;
  ListWorkers(argument: _onceflow_v1_ListWorkersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_ListWorkersResponse__Output>): grpc.ClientUnaryCall;
  ListWorkers(argument: _onceflow_v1_ListWorkersRequest, callback: grpc.requestCallback<_onceflow_v1_ListWorkersResponse__Output>): grpc.ClientUnaryCall;
  listWorkers(argument: _onceflow_v1_ListWorkersRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_ListWorkersResponse__Output>): grpc.ClientUnaryCall;
  listWorkers(argument: _onceflow_v1_ListWorkersRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_ListWorkersResponse__Output>): grpc.ClientUnaryCall;
  listWorkers(argument: _onceflow_v1_ListWorkersRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_ListWorkersResponse__Output>): grpc.ClientUnaryCall;
  listWorkers(argument: _onceflow_v1_ListWorkersRequest, callback: grpc.requestCallback<_onceflow_v1_ListWorkersResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface WorkerServiceHandlers extends grpc.UntypedServiceImplementation {
  GetWorker: grpc.handleUnaryCall<_onceflow_v1_GetWorkerRequest__Output, _onceflow_v1_GetWorkerResponse>;
  
  ListWorkers: grpc.handleUnaryCall<_onceflow_v1_ListWorkersRequest__Output, _onceflow_v1_ListWorkersResponse>;
  
}

export interface WorkerServiceDefinition extends grpc.ServiceDefinition {
  GetWorker: MethodDefinition<_onceflow_v1_GetWorkerRequest, _onceflow_v1_GetWorkerResponse, _onceflow_v1_GetWorkerRequest__Output, _onceflow_v1_GetWorkerResponse__Output>
  ListWorkers: MethodDefinition<_onceflow_v1_ListWorkersRequest, _onceflow_v1_ListWorkersResponse, _onceflow_v1_ListWorkersRequest__Output, _onceflow_v1_ListWorkersResponse__Output>
}
