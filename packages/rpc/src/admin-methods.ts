import type {
  CreatePipelineRequest,
  CreatePipelineRequest__Output,
} from './generated/onceflow/v1/CreatePipelineRequest.ts'
import type {
  CreatePipelineResponse,
  CreatePipelineResponse__Output,
} from './generated/onceflow/v1/CreatePipelineResponse.ts'
import type {
  DeletePipelineRequest,
  DeletePipelineRequest__Output,
} from './generated/onceflow/v1/DeletePipelineRequest.ts'
import type {
  DeletePipelineResponse,
  DeletePipelineResponse__Output,
} from './generated/onceflow/v1/DeletePipelineResponse.ts'
import type {
  GetCheckpointRequest,
  GetCheckpointRequest__Output,
} from './generated/onceflow/v1/GetCheckpointRequest.ts'
import type {
  GetCheckpointResponse,
  GetCheckpointResponse__Output,
} from './generated/onceflow/v1/GetCheckpointResponse.ts'
import type {
  GetPipelineRequest,
  GetPipelineRequest__Output,
} from './generated/onceflow/v1/GetPipelineRequest.ts'
import type {
  GetPipelineResponse,
  GetPipelineResponse__Output,
} from './generated/onceflow/v1/GetPipelineResponse.ts'
import type {
  GetStatusRequest,
  GetStatusRequest__Output,
} from './generated/onceflow/v1/GetStatusRequest.ts'
import type {
  GetStatusResponse,
  GetStatusResponse__Output,
} from './generated/onceflow/v1/GetStatusResponse.ts'
import type {
  GetWorkerRequest,
  GetWorkerRequest__Output,
} from './generated/onceflow/v1/GetWorkerRequest.ts'
import type {
  GetWorkerResponse,
  GetWorkerResponse__Output,
} from './generated/onceflow/v1/GetWorkerResponse.ts'
import type {
  ListCheckpointsRequest,
  ListCheckpointsRequest__Output,
} from './generated/onceflow/v1/ListCheckpointsRequest.ts'
import type {
  ListCheckpointsResponse,
  ListCheckpointsResponse__Output,
} from './generated/onceflow/v1/ListCheckpointsResponse.ts'
import type {
  ListPipelinesRequest,
  ListPipelinesRequest__Output,
} from './generated/onceflow/v1/ListPipelinesRequest.ts'
import type {
  ListPipelinesResponse,
  ListPipelinesResponse__Output,
} from './generated/onceflow/v1/ListPipelinesResponse.ts'
import type {
  ListTransactionsRequest,
  ListTransactionsRequest__Output,
} from './generated/onceflow/v1/ListTransactionsRequest.ts'
import type {
  ListTransactionsResponse,
  ListTransactionsResponse__Output,
} from './generated/onceflow/v1/ListTransactionsResponse.ts'
import type {
  ListWorkersRequest,
  ListWorkersRequest__Output,
} from './generated/onceflow/v1/ListWorkersRequest.ts'
import type {
  ListWorkersResponse,
  ListWorkersResponse__Output,
} from './generated/onceflow/v1/ListWorkersResponse.ts'
import type {
  PausePipelineRequest,
  PausePipelineRequest__Output,
} from './generated/onceflow/v1/PausePipelineRequest.ts'
import type {
  PausePipelineResponse,
  PausePipelineResponse__Output,
} from './generated/onceflow/v1/PausePipelineResponse.ts'
import type {
  ResumePipelineRequest,
  ResumePipelineRequest__Output,
} from './generated/onceflow/v1/ResumePipelineRequest.ts'
import type {
  ResumePipelineResponse,
  ResumePipelineResponse__Output,
} from './generated/onceflow/v1/ResumePipelineResponse.ts'
import type {
  UpdatePipelineRequest,
  UpdatePipelineRequest__Output,
} from './generated/onceflow/v1/UpdatePipelineRequest.ts'
import type {
  UpdatePipelineResponse,
  UpdatePipelineResponse__Output,
} from './generated/onceflow/v1/UpdatePipelineResponse.ts'

/** A method's messages: as given and as received, on both sides. */
interface Method<Request, Given, Response, Received> {
  readonly request: Request
  readonly given: Given
  readonly response: Response
  readonly received: Received
}

/** Every method of the admin API. */
export interface AdminMethods {
  readonly CreatePipeline: Method<
    CreatePipelineRequest,
    CreatePipelineRequest__Output,
    CreatePipelineResponse,
    CreatePipelineResponse__Output
  >
  readonly GetPipeline: Method<
    GetPipelineRequest,
    GetPipelineRequest__Output,
    GetPipelineResponse,
    GetPipelineResponse__Output
  >
  readonly ListPipelines: Method<
    ListPipelinesRequest,
    ListPipelinesRequest__Output,
    ListPipelinesResponse,
    ListPipelinesResponse__Output
  >
  readonly UpdatePipeline: Method<
    UpdatePipelineRequest,
    UpdatePipelineRequest__Output,
    UpdatePipelineResponse,
    UpdatePipelineResponse__Output
  >
  readonly DeletePipeline: Method<
    DeletePipelineRequest,
    DeletePipelineRequest__Output,
    DeletePipelineResponse,
    DeletePipelineResponse__Output
  >
  readonly PausePipeline: Method<
    PausePipelineRequest,
    PausePipelineRequest__Output,
    PausePipelineResponse,
    PausePipelineResponse__Output
  >
  readonly ResumePipeline: Method<
    ResumePipelineRequest,
    ResumePipelineRequest__Output,
    ResumePipelineResponse,
    ResumePipelineResponse__Output
  >
  readonly ListCheckpoints: Method<
    ListCheckpointsRequest,
    ListCheckpointsRequest__Output,
    ListCheckpointsResponse,
    ListCheckpointsResponse__Output
  >
  readonly GetCheckpoint: Method<
    GetCheckpointRequest,
    GetCheckpointRequest__Output,
    GetCheckpointResponse,
    GetCheckpointResponse__Output
  >
  readonly ListTransactions: Method<
    ListTransactionsRequest,
    ListTransactionsRequest__Output,
    ListTransactionsResponse,
    ListTransactionsResponse__Output
  >
  readonly ListWorkers: Method<
    ListWorkersRequest,
    ListWorkersRequest__Output,
    ListWorkersResponse,
    ListWorkersResponse__Output
  >
  readonly GetWorker: Method<
    GetWorkerRequest,
    GetWorkerRequest__Output,
    GetWorkerResponse,
    GetWorkerResponse__Output
  >
  readonly GetStatus: Method<
    GetStatusRequest,
    GetStatusRequest__Output,
    GetStatusResponse,
    GetStatusResponse__Output
  >
}

export type AdminMethod = keyof AdminMethods

/** The service to which each method belongs. */
export const serviceOf = {
  CreatePipeline: 'PipelineService',
  GetPipeline: 'PipelineService',
  ListPipelines: 'PipelineService',
  UpdatePipeline: 'PipelineService',
  DeletePipeline: 'PipelineService',
  PausePipeline: 'PipelineService',
  ResumePipeline: 'PipelineService',
  ListCheckpoints: 'CheckpointService',
  GetCheckpoint: 'CheckpointService',
  ListTransactions: 'TransactionService',
  ListWorkers: 'WorkerService',
  GetWorker: 'WorkerService',
  GetStatus: 'ClusterService',
} as const satisfies Record<AdminMethod, string>

/** The methods that change something: never sent twice by themselves. */
export const changingMethods: readonly AdminMethod[] = [
  'CreatePipeline',
  'UpdatePipeline',
  'DeletePipeline',
  'PausePipeline',
  'ResumePipeline',
]
