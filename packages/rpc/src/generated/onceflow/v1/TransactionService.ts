// Original file: ../../proto/onceflow/v1/admin.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { ListTransactionsRequest as _onceflow_v1_ListTransactionsRequest, ListTransactionsRequest__Output as _onceflow_v1_ListTransactionsRequest__Output } from '../../onceflow/v1/ListTransactionsRequest.ts';
import type { ListTransactionsResponse as _onceflow_v1_ListTransactionsResponse, ListTransactionsResponse__Output as _onceflow_v1_ListTransactionsResponse__Output } from '../../onceflow/v1/ListTransactionsResponse.ts';

export interface TransactionServiceClient extends grpc.Client {
  ListTransactions(argument: _onceflow_v1_ListTransactionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_ListTransactionsResponse__Output>): grpc.ClientUnaryCall;
  ListTransactions(argument: _onceflow_v1_ListTransactionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_ListTransactionsResponse__Output>): grpc.ClientUnaryCall;
  ListTransactions(argument: _onceflow_v1_ListTransactionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_ListTransactionsResponse__Output>): grpc.ClientUnaryCall;
  ListTransactions(argument: _onceflow_v1_ListTransactionsRequest, callback: grpc.requestCallback<_onceflow_v1_ListTransactionsResponse__Output>): grpc.ClientUnaryCall;
  listTransactions(argument: _onceflow_v1_ListTransactionsRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_ListTransactionsResponse__Output>): grpc.ClientUnaryCall;
  listTransactions(argument: _onceflow_v1_ListTransactionsRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_ListTransactionsResponse__Output>): grpc.ClientUnaryCall;
  listTransactions(argument: _onceflow_v1_ListTransactionsRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_ListTransactionsResponse__Output>): grpc.ClientUnaryCall;
  listTransactions(argument: _onceflow_v1_ListTransactionsRequest, callback: grpc.requestCallback<_onceflow_v1_ListTransactionsResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface TransactionServiceHandlers extends grpc.UntypedServiceImplementation {
  ListTransactions: grpc.handleUnaryCall<_onceflow_v1_ListTransactionsRequest__Output, _onceflow_v1_ListTransactionsResponse>;
  
}

export interface TransactionServiceDefinition extends grpc.ServiceDefinition {
  ListTransactions: MethodDefinition<_onceflow_v1_ListTransactionsRequest, _onceflow_v1_ListTransactionsResponse, _onceflow_v1_ListTransactionsRequest__Output, _onceflow_v1_ListTransactionsResponse__Output>
}
