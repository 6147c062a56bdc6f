import {
  failure,
  type Json,
  type PipelineName,
  type PipelineSpec,
  pipelineName,
} from '@onceflow/model'
import type { AdminHandler, ChangeOptions, ChangePipeline } from '@onceflow/ports'
import { specOfValue } from '@onceflow/spec'
import type { AdminMethod, AdminMethods } from './admin-methods.ts'
import {
  checkpointResource,
  clusterResource,
  pipelineResource,
  transactionResource,
  workerResource,
} from './admin-resources.ts'
import type { Pipeline__Output } from './generated/onceflow/v1/Pipeline.ts'
import { pageOf, pageToken } from './page-token.ts'
import { RefusedCall } from './refused-call.ts'
import {
  checkpointOfPath,
  pipelineOfPath,
  pipelinesOfParent,
  workerOfPath,
} from './resource-name.ts'
import { structFromWire } from './struct-wire.ts'
import { refuse, required } from './wire-values.ts'

/** One function for each method: checks the request, asks the handler, shapes the answer. */
export type AdminCalls = {
  readonly [M in AdminMethod]: (
    request: AdminMethods[M]['given'],
  ) => Promise<AdminMethods[M]['response']>
}

export function adminCalls(handler: AdminHandler): AdminCalls {
  return { ...pipelineCalls(handler), ...changeCalls(handler), ...otherCalls(handler) }
}

type PipelineReads = 'CreatePipeline' | 'GetPipeline' | 'ListPipelines' | 'UpdatePipeline'
type PipelineChanges = 'DeletePipeline' | 'PausePipeline' | 'ResumePipeline'

const pipelineCalls = (handler: AdminHandler): Pick<AdminCalls, PipelineReads> => ({
  CreatePipeline: async (request) => {
    const spec = specOf(required(request.pipeline, 'pipeline'))
    const view = await handler.createPipeline({ spec, ...changeOptions(request) })
    return { pipeline: pipelineResource(view) }
  },
  GetPipeline: async (request) => {
    const view = await handler.getPipeline(pipelineOfPath(request.name, 'name'))
    return { pipeline: pipelineResource(view) }
  },
  ListPipelines: async (request) => {
    const call = ['ListPipelines']
    const { items, next } = await handler.listPipelines(pageOf(request, call))
    return { pipelines: items.map(pipelineResource), nextPageToken: pageToken(next, call) }
  },
  UpdatePipeline: async (request) => {
    const given = required(request.pipeline, 'pipeline')
    checkMask(request.updateMask?.paths ?? [])
    const spec = specOf(given)
    const named = given.name === '' ? spec.name : pipelineOfPath(given.name, 'pipeline.name')
    if (named !== spec.name) refuse('pipeline.name', `the spec is that of ${spec.name}`)
    const view = await handler.updatePipeline({
      spec,
      etag: given.etag === '' ? undefined : given.etag,
      missing: request.allowMissing ? 'create' : 'refuse',
      ...changeOptions(request),
    })
    return { pipeline: pipelineResource(view) }
  },
})

const changeCalls = (handler: AdminHandler): Pick<AdminCalls, PipelineChanges> => ({
  DeletePipeline: async (request) => ({
    pipeline: pipelineResource(await handler.deletePipeline(changeOf(request))),
  }),
  PausePipeline: async (request) => ({
    pipeline: pipelineResource(await handler.pausePipeline(changeOf(request))),
  }),
  ResumePipeline: async (request) => ({
    pipeline: pipelineResource(await handler.resumePipeline(changeOf(request))),
  }),
})

const otherCalls = (handler: AdminHandler): Omit<AdminCalls, PipelineReads | PipelineChanges> => ({
  ListCheckpoints: async (request) => {
    const call = ['ListCheckpoints', request.parent]
    const pipeline = pipelineOfPath(request.parent, 'parent')
    const { items, next } = await handler.listCheckpoints(pipeline, pageOf(request, call))
    return { checkpoints: items.map(checkpointResource), nextPageToken: pageToken(next, call) }
  },
  GetCheckpoint: async (request) => {
    const { pipeline, checkpoint } = checkpointOfPath(request.name)
    return { checkpoint: checkpointResource(await handler.getCheckpoint(pipeline, checkpoint)) }
  },
  ListTransactions: async (request) => {
    const call = ['ListTransactions', request.parent]
    const pipeline = pipelinesOfParent(request.parent)
    const { items, next } = await handler.listTransactions(pipeline, pageOf(request, call))
    return { transactions: items.map(transactionResource), nextPageToken: pageToken(next, call) }
  },
  ListWorkers: async (request) => {
    const call = ['ListWorkers']
    const { items, next } = await handler.listWorkers(pageOf(request, call))
    return { workers: items.map(workerResource), nextPageToken: pageToken(next, call) }
  },
  GetWorker: async (request) => ({
    worker: workerResource(await handler.getWorker(workerOfPath(request.name))),
  }),
  GetStatus: async () => ({ status: clusterResource(await handler.getStatus()) }),
})

function checkMask(paths: readonly string[]): void {
  const other = paths.find((path) => path !== 'spec' && path !== '*')
  if (other !== undefined) refuse('update_mask', `${other} cannot be updated; only spec can`)
}

const requestIdLengthMax = 128

interface ChangeRequest {
  readonly validateOnly: boolean
  readonly requestId: string
}

function changeOptions(request: ChangeRequest): ChangeOptions {
  if (request.requestId.length > requestIdLengthMax) {
    refuse('request_id', `request_id is longer than ${requestIdLengthMax} characters`)
  }
  return { validate: request.validateOnly ? 'only' : 'no', requestId: request.requestId }
}

interface NamedChange extends ChangeRequest {
  readonly name: string
  readonly etag: string
}

const changeOf = (request: NamedChange): ChangePipeline => ({
  name: nameOf(request),
  etag: request.etag === '' ? undefined : request.etag,
  ...changeOptions(request),
})

const nameOf = (request: NamedChange): PipelineName =>
  pipelineName(pipelineOfPath(request.name, 'name'))

/** The spec of a resource, checked by the same rules as a file. */
function specOf(pipeline: Pipeline__Output): PipelineSpec {
  const document: Json = structFromWire(required(pipeline.spec, 'pipeline.spec'))
  const result = specOfValue(document)
  if (result.kind === 'ok') return result.spec
  const fields = result.problems.map(({ path, text, suggestion }) => ({
    field: path === '' ? 'pipeline.spec' : `pipeline.spec.${path}`,
    description: suggestion === undefined ? text : `${text}; ${suggestion}`,
  }))
  const [first] = fields
  const others = fields.length > 1 ? `, and ${fields.length - 1} more` : ''
  const detail = `${first?.field} ${first?.description}${others}`
  throw new RefusedCall(failure('SPEC_INVALID', { detail }), fields)
}
