import {
  attempt,
  type CheckpointNumber,
  clusterUid,
  fail,
  leaderEpoch,
  type PipelineName,
  type PipelineSpec,
  pipelineUid,
  type WorkerId,
} from '@onceflow/model'
import type {
  AdminHandler,
  ChangePipeline,
  CheckpointView,
  ClusterView,
  CreatePipeline,
  FlowFigures,
  Page,
  PageOf,
  PipelineState,
  PipelineView,
  TransactionView,
  UpdatePipeline,
  WorkerView,
} from '@onceflow/ports'

const still: FlowFigures = {
  recordsPerSecond: 0,
  rowsPerSecond: 0,
  lagRecords: 0,
  freshnessMs: undefined,
}

/**
 * The admin port over lists in memory: pipelines change by its own methods, everything else is what
 * a test has put there. Changes follow the port: names are unique, etags are compared, and a call
 * that only validates changes nothing.
 */
export class MemoryAdmin implements AdminHandler {
  readonly pipelines = new Map<PipelineName, PipelineView>()
  checkpoints: CheckpointView[] = []
  transactions: TransactionView[] = []
  workers: WorkerView[] = []
  /** Of the leader, as getStatus tells it. */
  leaderAddress = '127.0.0.1:7070'
  #changes = 0

  async createPipeline(request: CreatePipeline): Promise<PipelineView> {
    const { name } = request.spec
    if (this.pipelines.has(name)) fail('ALREADY_EXISTS', { detail: `pipeline ${name} exists` })
    return this.#put(this.#fresh(request.spec), request)
  }

  async getPipeline(name: PipelineName): Promise<PipelineView> {
    return this.#find(name)
  }

  async listPipelines(page: Page): Promise<PageOf<PipelineView>> {
    const sorted = [...this.pipelines.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    return pageOfList(sorted, page)
  }

  async updatePipeline(request: UpdatePipeline): Promise<PipelineView> {
    const { spec, etag, missing } = request
    if (!this.pipelines.has(spec.name) && missing === 'create') {
      return this.#put(this.#fresh(spec), request)
    }
    return this.#put({ ...this.#unchanged(spec.name, etag), spec }, request)
  }

  async deletePipeline(request: ChangePipeline): Promise<PipelineView> {
    const view = this.#unchanged(request.name, request.etag)
    if (request.validate === 'no') this.pipelines.delete(request.name)
    return { ...view, state: 'deleting' }
  }

  async pausePipeline(request: ChangePipeline): Promise<PipelineView> {
    return this.#turn(request, 'paused')
  }

  async resumePipeline(request: ChangePipeline): Promise<PipelineView> {
    return this.#turn(request, 'running')
  }

  async listCheckpoints(pipeline: PipelineName, page: Page): Promise<PageOf<CheckpointView>> {
    this.#find(pipeline)
    const own = this.checkpoints.filter((one) => one.pipeline === pipeline)
    const short = own.map((one) => ({ ...one, positions: [], transactions: [] }))
    return pageOfList(short, page)
  }

  async getCheckpoint(pipeline: PipelineName, n: CheckpointNumber): Promise<CheckpointView> {
    const found = this.checkpoints.find((one) => one.pipeline === pipeline && one.checkpoint === n)
    return found ?? fail('NOT_FOUND', { detail: `pipeline ${pipeline} has no checkpoint ${n}` })
  }

  async listTransactions(
    pipeline: PipelineName | undefined,
    page: Page,
  ): Promise<PageOf<TransactionView>> {
    if (pipeline !== undefined) this.#find(pipeline)
    const own = this.transactions.filter(
      (one) => pipeline === undefined || one.pipeline === pipeline,
    )
    return pageOfList(own, page)
  }

  async listWorkers(page: Page): Promise<PageOf<WorkerView>> {
    return pageOfList(this.workers, page)
  }

  async getWorker(worker: WorkerId): Promise<WorkerView> {
    const found = this.workers.find((one) => one.worker === worker)
    return found ?? fail('NOT_FOUND', { detail: `there is no worker ${worker}` })
  }

  async getStatus(): Promise<ClusterView> {
    return {
      cluster: clusterUid('memorycluster'),
      version: '0.0.0',
      leader: {
        id: 'c1',
        address: this.leaderAddress,
        leaderEpoch: leaderEpoch(7n),
        sinceMs: 0,
      },
      coordinators: [{ id: 'c1', address: this.leaderAddress, role: 'leader' }],
      workersLive: this.workers.filter(({ state }) => state === 'live').length,
      workersLost: this.workers.filter(({ state }) => state === 'lost').length,
      pipelines: [...this.pipelines.values()],
      flow: still,
    }
  }

  /** Changes what is seen of a pipeline, as the cluster would. */
  show(name: PipelineName, change: Partial<PipelineView>): void {
    this.pipelines.set(name, { ...this.#find(name), ...change })
  }

  #find(name: PipelineName): PipelineView {
    return this.pipelines.get(name) ?? fail('NOT_FOUND', { detail: `there is no pipeline ${name}` })
  }

  #unchanged(name: PipelineName, etag: string | undefined): PipelineView {
    const view = this.#find(name)
    if (etag !== undefined && etag !== view.etag) {
      fail('ETAG_MISMATCH', { detail: `pipeline ${name} has the etag ${view.etag}, not ${etag}` })
    }
    return view
  }

  #turn(request: ChangePipeline, state: PipelineState): PipelineView {
    const view = this.#unchanged(request.name, request.etag)
    if (view.state === 'deleting') {
      fail('PRECONDITION_FAILED', { detail: `pipeline ${request.name} is being deleted` })
    }
    return this.#put({ ...view, state, failure: undefined }, request)
  }

  #put(view: PipelineView, request: { readonly validate: 'only' | 'no' }): PipelineView {
    if (request.validate === 'only') return view
    this.#changes += 1
    const changed = { ...view, etag: `e${this.#changes}` }
    this.pipelines.set(view.name, changed)
    return changed
  }

  #fresh(spec: PipelineSpec): PipelineView {
    return {
      name: spec.name,
      uid: pipelineUid(`uid${'0'.repeat(9)}${this.pipelines.size}`),
      spec,
      etag: '',
      state: 'starting',
      failure: undefined,
      attempt: attempt(1n),
      restarts: 0,
      tasks: 0,
      flow: still,
      lastCheckpoint: undefined,
      claims: [],
      createdMs: 0,
      updatedMs: 0,
    }
  }
}

function pageOfList<T>(items: readonly T[], page: Page): PageOf<T> {
  const from = Number(page.after ?? 0)
  const to = from + page.size
  return { items: items.slice(from, to), next: to < items.length ? to.toString() : undefined }
}
