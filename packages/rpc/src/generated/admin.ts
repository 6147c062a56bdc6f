import type * as grpc from '@grpc/grpc-js';
import type { EnumTypeDefinition, MessageTypeDefinition } from '@grpc/proto-loader';

import type { FieldMask as _google_protobuf_FieldMask, FieldMask__Output as _google_protobuf_FieldMask__Output } from './google/protobuf/FieldMask.ts';
import type { ListValue as _google_protobuf_ListValue, ListValue__Output as _google_protobuf_ListValue__Output } from './google/protobuf/ListValue.ts';
import type { Struct as _google_protobuf_Struct, Struct__Output as _google_protobuf_Struct__Output } from './google/protobuf/Struct.ts';
import type { Timestamp as _google_protobuf_Timestamp, Timestamp__Output as _google_protobuf_Timestamp__Output } from './google/protobuf/Timestamp.ts';
import type { Value as _google_protobuf_Value, Value__Output as _google_protobuf_Value__Output } from './google/protobuf/Value.ts';
import type { Checkpoint as _onceflow_v1_Checkpoint, Checkpoint__Output as _onceflow_v1_Checkpoint__Output } from './onceflow/v1/Checkpoint.ts';
import type { CheckpointGlance as _onceflow_v1_CheckpointGlance, CheckpointGlance__Output as _onceflow_v1_CheckpointGlance__Output } from './onceflow/v1/CheckpointGlance.ts';
import type { CheckpointServiceClient as _onceflow_v1_CheckpointServiceClient, CheckpointServiceDefinition as _onceflow_v1_CheckpointServiceDefinition } from './onceflow/v1/CheckpointService.ts';
import type { ClusterServiceClient as _onceflow_v1_ClusterServiceClient, ClusterServiceDefinition as _onceflow_v1_ClusterServiceDefinition } from './onceflow/v1/ClusterService.ts';
import type { ClusterStatus as _onceflow_v1_ClusterStatus, ClusterStatus__Output as _onceflow_v1_ClusterStatus__Output } from './onceflow/v1/ClusterStatus.ts';
import type { Coordinator as _onceflow_v1_Coordinator, Coordinator__Output as _onceflow_v1_Coordinator__Output } from './onceflow/v1/Coordinator.ts';
import type { CreatePipelineRequest as _onceflow_v1_CreatePipelineRequest, CreatePipelineRequest__Output as _onceflow_v1_CreatePipelineRequest__Output } from './onceflow/v1/CreatePipelineRequest.ts';
import type { CreatePipelineResponse as _onceflow_v1_CreatePipelineResponse, CreatePipelineResponse__Output as _onceflow_v1_CreatePipelineResponse__Output } from './onceflow/v1/CreatePipelineResponse.ts';
import type { DeletePipelineRequest as _onceflow_v1_DeletePipelineRequest, DeletePipelineRequest__Output as _onceflow_v1_DeletePipelineRequest__Output } from './onceflow/v1/DeletePipelineRequest.ts';
import type { DeletePipelineResponse as _onceflow_v1_DeletePipelineResponse, DeletePipelineResponse__Output as _onceflow_v1_DeletePipelineResponse__Output } from './onceflow/v1/DeletePipelineResponse.ts';
import type { Failure as _onceflow_v1_Failure, Failure__Output as _onceflow_v1_Failure__Output } from './onceflow/v1/Failure.ts';
import type { Flow as _onceflow_v1_Flow, Flow__Output as _onceflow_v1_Flow__Output } from './onceflow/v1/Flow.ts';
import type { GetCheckpointRequest as _onceflow_v1_GetCheckpointRequest, GetCheckpointRequest__Output as _onceflow_v1_GetCheckpointRequest__Output } from './onceflow/v1/GetCheckpointRequest.ts';
import type { GetCheckpointResponse as _onceflow_v1_GetCheckpointResponse, GetCheckpointResponse__Output as _onceflow_v1_GetCheckpointResponse__Output } from './onceflow/v1/GetCheckpointResponse.ts';
import type { GetPipelineRequest as _onceflow_v1_GetPipelineRequest, GetPipelineRequest__Output as _onceflow_v1_GetPipelineRequest__Output } from './onceflow/v1/GetPipelineRequest.ts';
import type { GetPipelineResponse as _onceflow_v1_GetPipelineResponse, GetPipelineResponse__Output as _onceflow_v1_GetPipelineResponse__Output } from './onceflow/v1/GetPipelineResponse.ts';
import type { GetStatusRequest as _onceflow_v1_GetStatusRequest, GetStatusRequest__Output as _onceflow_v1_GetStatusRequest__Output } from './onceflow/v1/GetStatusRequest.ts';
import type { GetStatusResponse as _onceflow_v1_GetStatusResponse, GetStatusResponse__Output as _onceflow_v1_GetStatusResponse__Output } from './onceflow/v1/GetStatusResponse.ts';
import type { GetWorkerRequest as _onceflow_v1_GetWorkerRequest, GetWorkerRequest__Output as _onceflow_v1_GetWorkerRequest__Output } from './onceflow/v1/GetWorkerRequest.ts';
import type { GetWorkerResponse as _onceflow_v1_GetWorkerResponse, GetWorkerResponse__Output as _onceflow_v1_GetWorkerResponse__Output } from './onceflow/v1/GetWorkerResponse.ts';
import type { Leader as _onceflow_v1_Leader, Leader__Output as _onceflow_v1_Leader__Output } from './onceflow/v1/Leader.ts';
import type { ListCheckpointsRequest as _onceflow_v1_ListCheckpointsRequest, ListCheckpointsRequest__Output as _onceflow_v1_ListCheckpointsRequest__Output } from './onceflow/v1/ListCheckpointsRequest.ts';
import type { ListCheckpointsResponse as _onceflow_v1_ListCheckpointsResponse, ListCheckpointsResponse__Output as _onceflow_v1_ListCheckpointsResponse__Output } from './onceflow/v1/ListCheckpointsResponse.ts';
import type { ListPipelinesRequest as _onceflow_v1_ListPipelinesRequest, ListPipelinesRequest__Output as _onceflow_v1_ListPipelinesRequest__Output } from './onceflow/v1/ListPipelinesRequest.ts';
import type { ListPipelinesResponse as _onceflow_v1_ListPipelinesResponse, ListPipelinesResponse__Output as _onceflow_v1_ListPipelinesResponse__Output } from './onceflow/v1/ListPipelinesResponse.ts';
import type { ListTransactionsRequest as _onceflow_v1_ListTransactionsRequest, ListTransactionsRequest__Output as _onceflow_v1_ListTransactionsRequest__Output } from './onceflow/v1/ListTransactionsRequest.ts';
import type { ListTransactionsResponse as _onceflow_v1_ListTransactionsResponse, ListTransactionsResponse__Output as _onceflow_v1_ListTransactionsResponse__Output } from './onceflow/v1/ListTransactionsResponse.ts';
import type { ListWorkersRequest as _onceflow_v1_ListWorkersRequest, ListWorkersRequest__Output as _onceflow_v1_ListWorkersRequest__Output } from './onceflow/v1/ListWorkersRequest.ts';
import type { ListWorkersResponse as _onceflow_v1_ListWorkersResponse, ListWorkersResponse__Output as _onceflow_v1_ListWorkersResponse__Output } from './onceflow/v1/ListWorkersResponse.ts';
import type { PausePipelineRequest as _onceflow_v1_PausePipelineRequest, PausePipelineRequest__Output as _onceflow_v1_PausePipelineRequest__Output } from './onceflow/v1/PausePipelineRequest.ts';
import type { PausePipelineResponse as _onceflow_v1_PausePipelineResponse, PausePipelineResponse__Output as _onceflow_v1_PausePipelineResponse__Output } from './onceflow/v1/PausePipelineResponse.ts';
import type { Pipeline as _onceflow_v1_Pipeline, Pipeline__Output as _onceflow_v1_Pipeline__Output } from './onceflow/v1/Pipeline.ts';
import type { PipelineGlance as _onceflow_v1_PipelineGlance, PipelineGlance__Output as _onceflow_v1_PipelineGlance__Output } from './onceflow/v1/PipelineGlance.ts';
import type { PipelineServiceClient as _onceflow_v1_PipelineServiceClient, PipelineServiceDefinition as _onceflow_v1_PipelineServiceDefinition } from './onceflow/v1/PipelineService.ts';
import type { Position as _onceflow_v1_Position, Position__Output as _onceflow_v1_Position__Output } from './onceflow/v1/Position.ts';
import type { RecordPosition as _onceflow_v1_RecordPosition, RecordPosition__Output as _onceflow_v1_RecordPosition__Output } from './onceflow/v1/RecordPosition.ts';
import type { ResumePipelineRequest as _onceflow_v1_ResumePipelineRequest, ResumePipelineRequest__Output as _onceflow_v1_ResumePipelineRequest__Output } from './onceflow/v1/ResumePipelineRequest.ts';
import type { ResumePipelineResponse as _onceflow_v1_ResumePipelineResponse, ResumePipelineResponse__Output as _onceflow_v1_ResumePipelineResponse__Output } from './onceflow/v1/ResumePipelineResponse.ts';
import type { SealedTransaction as _onceflow_v1_SealedTransaction, SealedTransaction__Output as _onceflow_v1_SealedTransaction__Output } from './onceflow/v1/SealedTransaction.ts';
import type { SinkClaim as _onceflow_v1_SinkClaim, SinkClaim__Output as _onceflow_v1_SinkClaim__Output } from './onceflow/v1/SinkClaim.ts';
import type { Transaction as _onceflow_v1_Transaction, Transaction__Output as _onceflow_v1_Transaction__Output } from './onceflow/v1/Transaction.ts';
import type { TransactionServiceClient as _onceflow_v1_TransactionServiceClient, TransactionServiceDefinition as _onceflow_v1_TransactionServiceDefinition } from './onceflow/v1/TransactionService.ts';
import type { UpdatePipelineRequest as _onceflow_v1_UpdatePipelineRequest, UpdatePipelineRequest__Output as _onceflow_v1_UpdatePipelineRequest__Output } from './onceflow/v1/UpdatePipelineRequest.ts';
import type { UpdatePipelineResponse as _onceflow_v1_UpdatePipelineResponse, UpdatePipelineResponse__Output as _onceflow_v1_UpdatePipelineResponse__Output } from './onceflow/v1/UpdatePipelineResponse.ts';
import type { Worker as _onceflow_v1_Worker, Worker__Output as _onceflow_v1_Worker__Output } from './onceflow/v1/Worker.ts';
import type { WorkerServiceClient as _onceflow_v1_WorkerServiceClient, WorkerServiceDefinition as _onceflow_v1_WorkerServiceDefinition } from './onceflow/v1/WorkerService.ts';
import type { WorkerTask as _onceflow_v1_WorkerTask, WorkerTask__Output as _onceflow_v1_WorkerTask__Output } from './onceflow/v1/WorkerTask.ts';

type SubtypeConstructor<Constructor extends new (...args: any) => any, Subtype> = {
  new(...args: ConstructorParameters<Constructor>): Subtype;
};

export interface ProtoGrpcType {
  google: {
    protobuf: {
      FieldMask: MessageTypeDefinition<_google_protobuf_FieldMask, _google_protobuf_FieldMask__Output>
      ListValue: MessageTypeDefinition<_google_protobuf_ListValue, _google_protobuf_ListValue__Output>
      NullValue: EnumTypeDefinition
      Struct: MessageTypeDefinition<_google_protobuf_Struct, _google_protobuf_Struct__Output>
      Timestamp: MessageTypeDefinition<_google_protobuf_Timestamp, _google_protobuf_Timestamp__Output>
      Value: MessageTypeDefinition<_google_protobuf_Value, _google_protobuf_Value__Output>
    }
  }
  onceflow: {
    v1: {
      Checkpoint: MessageTypeDefinition<_onceflow_v1_Checkpoint, _onceflow_v1_Checkpoint__Output>
      CheckpointGlance: MessageTypeDefinition<_onceflow_v1_CheckpointGlance, _onceflow_v1_CheckpointGlance__Output>
      CheckpointService: SubtypeConstructor<typeof grpc.Client, _onceflow_v1_CheckpointServiceClient> & { service: _onceflow_v1_CheckpointServiceDefinition }
      ClusterService: SubtypeConstructor<typeof grpc.Client, _onceflow_v1_ClusterServiceClient> & { service: _onceflow_v1_ClusterServiceDefinition }
      ClusterStatus: MessageTypeDefinition<_onceflow_v1_ClusterStatus, _onceflow_v1_ClusterStatus__Output>
      Coordinator: MessageTypeDefinition<_onceflow_v1_Coordinator, _onceflow_v1_Coordinator__Output>
      CreatePipelineRequest: MessageTypeDefinition<_onceflow_v1_CreatePipelineRequest, _onceflow_v1_CreatePipelineRequest__Output>
      CreatePipelineResponse: MessageTypeDefinition<_onceflow_v1_CreatePipelineResponse, _onceflow_v1_CreatePipelineResponse__Output>
      DeletePipelineRequest: MessageTypeDefinition<_onceflow_v1_DeletePipelineRequest, _onceflow_v1_DeletePipelineRequest__Output>
      DeletePipelineResponse: MessageTypeDefinition<_onceflow_v1_DeletePipelineResponse, _onceflow_v1_DeletePipelineResponse__Output>
      Failure: MessageTypeDefinition<_onceflow_v1_Failure, _onceflow_v1_Failure__Output>
      Flow: MessageTypeDefinition<_onceflow_v1_Flow, _onceflow_v1_Flow__Output>
      GetCheckpointRequest: MessageTypeDefinition<_onceflow_v1_GetCheckpointRequest, _onceflow_v1_GetCheckpointRequest__Output>
      GetCheckpointResponse: MessageTypeDefinition<_onceflow_v1_GetCheckpointResponse, _onceflow_v1_GetCheckpointResponse__Output>
      GetPipelineRequest: MessageTypeDefinition<_onceflow_v1_GetPipelineRequest, _onceflow_v1_GetPipelineRequest__Output>
      GetPipelineResponse: MessageTypeDefinition<_onceflow_v1_GetPipelineResponse, _onceflow_v1_GetPipelineResponse__Output>
      GetStatusRequest: MessageTypeDefinition<_onceflow_v1_GetStatusRequest, _onceflow_v1_GetStatusRequest__Output>
      GetStatusResponse: MessageTypeDefinition<_onceflow_v1_GetStatusResponse, _onceflow_v1_GetStatusResponse__Output>
      GetWorkerRequest: MessageTypeDefinition<_onceflow_v1_GetWorkerRequest, _onceflow_v1_GetWorkerRequest__Output>
      GetWorkerResponse: MessageTypeDefinition<_onceflow_v1_GetWorkerResponse, _onceflow_v1_GetWorkerResponse__Output>
      Leader: MessageTypeDefinition<_onceflow_v1_Leader, _onceflow_v1_Leader__Output>
      ListCheckpointsRequest: MessageTypeDefinition<_onceflow_v1_ListCheckpointsRequest, _onceflow_v1_ListCheckpointsRequest__Output>
      ListCheckpointsResponse: MessageTypeDefinition<_onceflow_v1_ListCheckpointsResponse, _onceflow_v1_ListCheckpointsResponse__Output>
      ListPipelinesRequest: MessageTypeDefinition<_onceflow_v1_ListPipelinesRequest, _onceflow_v1_ListPipelinesRequest__Output>
      ListPipelinesResponse: MessageTypeDefinition<_onceflow_v1_ListPipelinesResponse, _onceflow_v1_ListPipelinesResponse__Output>
      ListTransactionsRequest: MessageTypeDefinition<_onceflow_v1_ListTransactionsRequest, _onceflow_v1_ListTransactionsRequest__Output>
      ListTransactionsResponse: MessageTypeDefinition<_onceflow_v1_ListTransactionsResponse, _onceflow_v1_ListTransactionsResponse__Output>
      ListWorkersRequest: MessageTypeDefinition<_onceflow_v1_ListWorkersRequest, _onceflow_v1_ListWorkersRequest__Output>
      ListWorkersResponse: MessageTypeDefinition<_onceflow_v1_ListWorkersResponse, _onceflow_v1_ListWorkersResponse__Output>
      PausePipelineRequest: MessageTypeDefinition<_onceflow_v1_PausePipelineRequest, _onceflow_v1_PausePipelineRequest__Output>
      PausePipelineResponse: MessageTypeDefinition<_onceflow_v1_PausePipelineResponse, _onceflow_v1_PausePipelineResponse__Output>
      Pipeline: MessageTypeDefinition<_onceflow_v1_Pipeline, _onceflow_v1_Pipeline__Output>
      PipelineGlance: MessageTypeDefinition<_onceflow_v1_PipelineGlance, _onceflow_v1_PipelineGlance__Output>
      PipelineService: SubtypeConstructor<typeof grpc.Client, _onceflow_v1_PipelineServiceClient> & { service: _onceflow_v1_PipelineServiceDefinition }
      Position: MessageTypeDefinition<_onceflow_v1_Position, _onceflow_v1_Position__Output>
      RecordPosition: MessageTypeDefinition<_onceflow_v1_RecordPosition, _onceflow_v1_RecordPosition__Output>
      ResumePipelineRequest: MessageTypeDefinition<_onceflow_v1_ResumePipelineRequest, _onceflow_v1_ResumePipelineRequest__Output>
      ResumePipelineResponse: MessageTypeDefinition<_onceflow_v1_ResumePipelineResponse, _onceflow_v1_ResumePipelineResponse__Output>
      SealedTransaction: MessageTypeDefinition<_onceflow_v1_SealedTransaction, _onceflow_v1_SealedTransaction__Output>
      SinkClaim: MessageTypeDefinition<_onceflow_v1_SinkClaim, _onceflow_v1_SinkClaim__Output>
      Transaction: MessageTypeDefinition<_onceflow_v1_Transaction, _onceflow_v1_Transaction__Output>
      TransactionService: SubtypeConstructor<typeof grpc.Client, _onceflow_v1_TransactionServiceClient> & { service: _onceflow_v1_TransactionServiceDefinition }
      UpdatePipelineRequest: MessageTypeDefinition<_onceflow_v1_UpdatePipelineRequest, _onceflow_v1_UpdatePipelineRequest__Output>
      UpdatePipelineResponse: MessageTypeDefinition<_onceflow_v1_UpdatePipelineResponse, _onceflow_v1_UpdatePipelineResponse__Output>
      Worker: MessageTypeDefinition<_onceflow_v1_Worker, _onceflow_v1_Worker__Output>
      WorkerService: SubtypeConstructor<typeof grpc.Client, _onceflow_v1_WorkerServiceClient> & { service: _onceflow_v1_WorkerServiceDefinition }
      WorkerTask: MessageTypeDefinition<_onceflow_v1_WorkerTask, _onceflow_v1_WorkerTask__Output>
    }
  }
}

