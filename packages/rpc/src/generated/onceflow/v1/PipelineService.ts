// Original file: ../../proto/onceflow/v1/admin.proto

import type * as grpc from '@grpc/grpc-js'
import type { MethodDefinition } from '@grpc/proto-loader'
import type { CreatePipelineRequest as _onceflow_v1_CreatePipelineRequest, CreatePipelineRequest__Output as _onceflow_v1_CreatePipelineRequest__Output } from '../../onceflow/v1/CreatePipelineRequest.ts';
import type { CreatePipelineResponse as _onceflow_v1_CreatePipelineResponse, CreatePipelineResponse__Output as _onceflow_v1_CreatePipelineResponse__Output } from '../../onceflow/v1/CreatePipelineResponse.ts';
import type { DeletePipelineRequest as _onceflow_v1_DeletePipelineRequest, DeletePipelineRequest__Output as _onceflow_v1_DeletePipelineRequest__Output } from '../../onceflow/v1/DeletePipelineRequest.ts';
import type { DeletePipelineResponse as _onceflow_v1_DeletePipelineResponse, DeletePipelineResponse__Output as _onceflow_v1_DeletePipelineResponse__Output } from '../../onceflow/v1/DeletePipelineResponse.ts';
import type { GetPipelineRequest as _onceflow_v1_GetPipelineRequest, GetPipelineRequest__Output as _onceflow_v1_GetPipelineRequest__Output } from '../../onceflow/v1/GetPipelineRequest.ts';
import type { GetPipelineResponse as _onceflow_v1_GetPipelineResponse, GetPipelineResponse__Output as _onceflow_v1_GetPipelineResponse__Output } from '../../onceflow/v1/GetPipelineResponse.ts';
import type { ListPipelinesRequest as _onceflow_v1_ListPipelinesRequest, ListPipelinesRequest__Output as _onceflow_v1_ListPipelinesRequest__Output } from '../../onceflow/v1/ListPipelinesRequest.ts';
import type { ListPipelinesResponse as _onceflow_v1_ListPipelinesResponse, ListPipelinesResponse__Output as _onceflow_v1_ListPipelinesResponse__Output } from '../../onceflow/v1/ListPipelinesResponse.ts';
import type { PausePipelineRequest as _onceflow_v1_PausePipelineRequest, PausePipelineRequest__Output as _onceflow_v1_PausePipelineRequest__Output } from '../../onceflow/v1/PausePipelineRequest.ts';
import type { PausePipelineResponse as _onceflow_v1_PausePipelineResponse, PausePipelineResponse__Output as _onceflow_v1_PausePipelineResponse__Output } from '../../onceflow/v1/PausePipelineResponse.ts';
import type { ResumePipelineRequest as _onceflow_v1_ResumePipelineRequest, ResumePipelineRequest__Output as _onceflow_v1_ResumePipelineRequest__Output } from '../../onceflow/v1/ResumePipelineRequest.ts';
import type { ResumePipelineResponse as _onceflow_v1_ResumePipelineResponse, ResumePipelineResponse__Output as _onceflow_v1_ResumePipelineResponse__Output } from '../../onceflow/v1/ResumePipelineResponse.ts';
import type { UpdatePipelineRequest as _onceflow_v1_UpdatePipelineRequest, UpdatePipelineRequest__Output as _onceflow_v1_UpdatePipelineRequest__Output } from '../../onceflow/v1/UpdatePipelineRequest.ts';
import type { UpdatePipelineResponse as _onceflow_v1_UpdatePipelineResponse, UpdatePipelineResponse__Output as _onceflow_v1_UpdatePipelineResponse__Output } from '../../onceflow/v1/UpdatePipelineResponse.ts';

export interface PipelineServiceClient extends grpc.Client {
  CreatePipeline(argument: _onceflow_v1_CreatePipelineRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_CreatePipelineResponse__Output>): grpc.ClientUnaryCall;
  CreatePipeline(argument: _onceflow_v1_CreatePipelineRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_CreatePipelineResponse__Output>): grpc.ClientUnaryCall;
  CreatePipeline(argument: _onceflow_v1_CreatePipelineRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_CreatePipelineResponse__Output>): grpc.ClientUnaryCall;
  CreatePipeline(argument: _onceflow_v1_CreatePipelineRequest, callback: grpc.requestCallback<_onceflow_v1_CreatePipelineResponse__Output>): grpc.ClientUnaryCall;
  createPipeline(argument: _onceflow_v1_CreatePipelineRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_CreatePipelineResponse__Output>): grpc.ClientUnaryCall;
  createPipeline(argument: _onceflow_v1_CreatePipelineRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_CreatePipelineResponse__Output>): grpc.ClientUnaryCall;
  createPipeline(argument: _onceflow_v1_CreatePipelineRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_CreatePipelineResponse__Output>): grpc.ClientUnaryCall;
  createPipeline(argument: _onceflow_v1_CreatePipelineRequest, callback: grpc.requestCallback<_onceflow_v1_CreatePipelineResponse__Output>): grpc.ClientUnaryCall;
  
  DeletePipeline(argument: _onceflow_v1_DeletePipelineRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_DeletePipelineResponse__Output>): grpc.ClientUnaryCall;
  DeletePipeline(argument: _onceflow_v1_DeletePipelineRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_DeletePipelineResponse__Output>): grpc.ClientUnaryCall;
  DeletePipeline(argument: _onceflow_v1_DeletePipelineRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_DeletePipelineResponse__Output>): grpc.ClientUnaryCall;
  DeletePipeline(argument: _onceflow_v1_DeletePipelineRequest, callback: grpc.requestCallback<_onceflow_v1_DeletePipelineResponse__Output>): grpc.ClientUnaryCall;
  deletePipeline(argument: _onceflow_v1_DeletePipelineRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_DeletePipelineResponse__Output>): grpc.ClientUnaryCall;
  deletePipeline(argument: _onceflow_v1_DeletePipelineRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_DeletePipelineResponse__Output>): grpc.ClientUnaryCall;
  deletePipeline(argument: _onceflow_v1_DeletePipelineRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_DeletePipelineResponse__Output>): grpc.ClientUnaryCall;
  deletePipeline(argument: _onceflow_v1_DeletePipelineRequest, callback: grpc.requestCallback<_onceflow_v1_DeletePipelineResponse__Output>): grpc.ClientUnaryCall;
  
  GetPipeline(argument: _onceflow_v1_GetPipelineRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_GetPipelineResponse__Output>): grpc.ClientUnaryCall;
  GetPipeline(argument: _onceflow_v1_GetPipelineRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_GetPipelineResponse__Output>): grpc.ClientUnaryCall;
  GetPipeline(argument: _onceflow_v1_GetPipelineRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_GetPipelineResponse__Output>): grpc.ClientUnaryCall;
  GetPipeline(argument: _onceflow_v1_GetPipelineRequest, callback: grpc.requestCallback<_onceflow_v1_GetPipelineResponse__Output>): grpc.ClientUnaryCall;
  getPipeline(argument: _onceflow_v1_GetPipelineRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_GetPipelineResponse__Output>): grpc.ClientUnaryCall;
  getPipeline(argument: _onceflow_v1_GetPipelineRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_GetPipelineResponse__Output>): grpc.ClientUnaryCall;
  getPipeline(argument: _onceflow_v1_GetPipelineRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_GetPipelineResponse__Output>): grpc.ClientUnaryCall;
  getPipeline(argument: _onceflow_v1_GetPipelineRequest, callback: grpc.requestCallback<_onceflow_v1_GetPipelineResponse__Output>): grpc.ClientUnaryCall;
  
  ListPipelines(argument: _onceflow_v1_ListPipelinesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_ListPipelinesResponse__Output>): grpc.ClientUnaryCall;
  ListPipelines(argument: _onceflow_v1_ListPipelinesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_ListPipelinesResponse__Output>): grpc.ClientUnaryCall;
  ListPipelines(argument: _onceflow_v1_ListPipelinesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_ListPipelinesResponse__Output>): grpc.ClientUnaryCall;
  ListPipelines(argument: _onceflow_v1_ListPipelinesRequest, callback: grpc.requestCallback<_onceflow_v1_ListPipelinesResponse__Output>): grpc.ClientUnaryCall;
  listPipelines(argument: _onceflow_v1_ListPipelinesRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_ListPipelinesResponse__Output>): grpc.ClientUnaryCall;
  listPipelines(argument: _onceflow_v1_ListPipelinesRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_ListPipelinesResponse__Output>): grpc.ClientUnaryCall;
  listPipelines(argument: _onceflow_v1_ListPipelinesRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_ListPipelinesResponse__Output>): grpc.ClientUnaryCall;
  listPipelines(argument: _onceflow_v1_ListPipelinesRequest, callback: grpc.requestCallback<_onceflow_v1_ListPipelinesResponse__Output>): grpc.ClientUnaryCall;
  
  PausePipeline(argument: _onceflow_v1_PausePipelineRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_PausePipelineResponse__Output>): grpc.ClientUnaryCall;
  PausePipeline(argument: _onceflow_v1_PausePipelineRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_PausePipelineResponse__Output>): grpc.ClientUnaryCall;
  PausePipeline(argument: _onceflow_v1_PausePipelineRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_PausePipelineResponse__Output>): grpc.ClientUnaryCall;
  PausePipeline(argument: _onceflow_v1_PausePipelineRequest, callback: grpc.requestCallback<_onceflow_v1_PausePipelineResponse__Output>): grpc.ClientUnaryCall;
  pausePipeline(argument: _onceflow_v1_PausePipelineRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_PausePipelineResponse__Output>): grpc.ClientUnaryCall;
  pausePipeline(argument: _onceflow_v1_PausePipelineRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_PausePipelineResponse__Output>): grpc.ClientUnaryCall;
  pausePipeline(argument: _onceflow_v1_PausePipelineRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_PausePipelineResponse__Output>): grpc.ClientUnaryCall;
  pausePipeline(argument: _onceflow_v1_PausePipelineRequest, callback: grpc.requestCallback<_onceflow_v1_PausePipelineResponse__Output>): grpc.ClientUnaryCall;
  
  ResumePipeline(argument: _onceflow_v1_ResumePipelineRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_ResumePipelineResponse__Output>): grpc.ClientUnaryCall;
  ResumePipeline(argument: _onceflow_v1_ResumePipelineRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_ResumePipelineResponse__Output>): grpc.ClientUnaryCall;
  ResumePipeline(argument: _onceflow_v1_ResumePipelineRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_ResumePipelineResponse__Output>): grpc.ClientUnaryCall;
  ResumePipeline(argument: _onceflow_v1_ResumePipelineRequest, callback: grpc.requestCallback<_onceflow_v1_ResumePipelineResponse__Output>): grpc.ClientUnaryCall;
  resumePipeline(argument: _onceflow_v1_ResumePipelineRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_ResumePipelineResponse__Output>): grpc.ClientUnaryCall;
  resumePipeline(argument: _onceflow_v1_ResumePipelineRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_ResumePipelineResponse__Output>): grpc.ClientUnaryCall;
  resumePipeline(argument: _onceflow_v1_ResumePipelineRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_ResumePipelineResponse__Output>): grpc.ClientUnaryCall;
  resumePipeline(argument: _onceflow_v1_ResumePipelineRequest, callback: grpc.requestCallback<_onceflow_v1_ResumePipelineResponse__Output>): grpc.ClientUnaryCall;
  
  UpdatePipeline(argument: _onceflow_v1_UpdatePipelineRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_UpdatePipelineResponse__Output>): grpc.ClientUnaryCall;
  UpdatePipeline(argument: _onceflow_v1_UpdatePipelineRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_UpdatePipelineResponse__Output>): grpc.ClientUnaryCall;
  UpdatePipeline(argument: _onceflow_v1_UpdatePipelineRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_UpdatePipelineResponse__Output>): grpc.ClientUnaryCall;
  UpdatePipeline(argument: _onceflow_v1_UpdatePipelineRequest, callback: grpc.requestCallback<_onceflow_v1_UpdatePipelineResponse__Output>): grpc.ClientUnaryCall;
  updatePipeline(argument: _onceflow_v1_UpdatePipelineRequest, metadata: grpc.Metadata, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_UpdatePipelineResponse__Output>): grpc.ClientUnaryCall;
  updatePipeline(argument: _onceflow_v1_UpdatePipelineRequest, metadata: grpc.Metadata, callback: grpc.requestCallback<_onceflow_v1_UpdatePipelineResponse__Output>): grpc.ClientUnaryCall;
  updatePipeline(argument: _onceflow_v1_UpdatePipelineRequest, options: grpc.CallOptions, callback: grpc.requestCallback<_onceflow_v1_UpdatePipelineResponse__Output>): grpc.ClientUnaryCall;
  updatePipeline(argument: _onceflow_v1_UpdatePipelineRequest, callback: grpc.requestCallback<_onceflow_v1_UpdatePipelineResponse__Output>): grpc.ClientUnaryCall;
  
}

export interface PipelineServiceHandlers extends grpc.UntypedServiceImplementation {
  CreatePipeline: grpc.handleUnaryCall<_onceflow_v1_CreatePipelineRequest__Output, _onceflow_v1_CreatePipelineResponse>;
  
  DeletePipeline: grpc.handleUnaryCall<_onceflow_v1_DeletePipelineRequest__Output, _onceflow_v1_DeletePipelineResponse>;
  
  GetPipeline: grpc.handleUnaryCall<_onceflow_v1_GetPipelineRequest__Output, _onceflow_v1_GetPipelineResponse>;
  
  ListPipelines: grpc.handleUnaryCall<_onceflow_v1_ListPipelinesRequest__Output, _onceflow_v1_ListPipelinesResponse>;
  
  PausePipeline: grpc.handleUnaryCall<_onceflow_v1_PausePipelineRequest__Output, _onceflow_v1_PausePipelineResponse>;
  
  ResumePipeline: grpc.handleUnaryCall<_onceflow_v1_ResumePipelineRequest__Output, _onceflow_v1_ResumePipelineResponse>;
  
  UpdatePipeline: grpc.handleUnaryCall<_onceflow_v1_UpdatePipelineRequest__Output, _onceflow_v1_UpdatePipelineResponse>;
  
}

export interface PipelineServiceDefinition extends grpc.ServiceDefinition {
  CreatePipeline: MethodDefinition<_onceflow_v1_CreatePipelineRequest, _onceflow_v1_CreatePipelineResponse, _onceflow_v1_CreatePipelineRequest__Output, _onceflow_v1_CreatePipelineResponse__Output>
  DeletePipeline: MethodDefinition<_onceflow_v1_DeletePipelineRequest, _onceflow_v1_DeletePipelineResponse, _onceflow_v1_DeletePipelineRequest__Output, _onceflow_v1_DeletePipelineResponse__Output>
  GetPipeline: MethodDefinition<_onceflow_v1_GetPipelineRequest, _onceflow_v1_GetPipelineResponse, _onceflow_v1_GetPipelineRequest__Output, _onceflow_v1_GetPipelineResponse__Output>
  ListPipelines: MethodDefinition<_onceflow_v1_ListPipelinesRequest, _onceflow_v1_ListPipelinesResponse, _onceflow_v1_ListPipelinesRequest__Output, _onceflow_v1_ListPipelinesResponse__Output>
  PausePipeline: MethodDefinition<_onceflow_v1_PausePipelineRequest, _onceflow_v1_PausePipelineResponse, _onceflow_v1_PausePipelineRequest__Output, _onceflow_v1_PausePipelineResponse__Output>
  ResumePipeline: MethodDefinition<_onceflow_v1_ResumePipelineRequest, _onceflow_v1_ResumePipelineResponse, _onceflow_v1_ResumePipelineRequest__Output, _onceflow_v1_ResumePipelineResponse__Output>
  UpdatePipeline: MethodDefinition<_onceflow_v1_UpdatePipelineRequest, _onceflow_v1_UpdatePipelineResponse, _onceflow_v1_UpdatePipelineRequest__Output, _onceflow_v1_UpdatePipelineResponse__Output>
}
