import {
  createTxn,
  keys,
  loadPipeline,
  type PipelineDoc,
  type PipelineState as Reduced,
  updateTxn,
} from '@onceflow/checkpoint'
import {
  type CheckpointNumber,
  fail,
  type PipelineName,
  pipelineUid,
  type WorkerId,
} from '@onceflow/model'
import type {
  AdminHandler,
  ChangePipeline,
  CheckpointView,
  Clock,
  CreatePipeline,
  MetadataStore,
  Page,
  PageOf,
  PipelineView,
  RandomSource,
  TransactionView,
  UpdatePipeline,
  WorkerView,
} from '@onceflow/ports'
import * as views from './admin-view.ts'
import { readHistory } from './cluster-store.ts'
import { clusterView, workerView } from './cluster-view.ts'
import type { FlowRates } from './flow-rates.ts'
import type { LeaderIdentity } from './leader-lease.ts'
import { refuseLossyChange } from './spec-change.ts'
import type { Term } from './term.ts'

export interface AdminDeps {
  readonly store: MetadataStore
  readonly clock: Clock
  readonly random: RandomSource
  readonly identity: LeaderIdentity
  readonly version: string
}

/**
 * The admin API on one leadership. Every change is a Txn on the pipeline's document; what follows
 * from it is decided by the reducer, which is told of the stored document.
 */
export class Admin implements AdminHandler {
  readonly #term: Term
  readonly #rates: FlowRates
  readonly #deps: AdminDeps

  constructor(term: Term, rates: FlowRates, deps: AdminDeps) {
    this.#term = term
    this.#rates = rates
    this.#deps = deps
  }

  async createPipeline(request: CreatePipeline): Promise<PipelineView> {
    const { name } = request.spec
    if (this.#find(name) !== undefined) {
      fail('ALREADY_EXISTS', { detail: `a pipeline named ${name} exists` })
    }
    const { clock, random } = this.#deps
    const doc: PipelineDoc = {
      uid: pipelineUid(random.token(12)),
      name,
      spec: request.spec,
      desired: 'running',
      generation: 1,
      createdAtMs: clock.wallMs(),
    }
    if (request.validate === 'only') return this.#preview(doc)
    const txn = createTxn(this.#term.leaderEpoch, doc, random.token(16))
    const nameKey = keys.nameKey(name)
    const revision = await this.#store(txn, (reads) =>
      reads.find((value) => value?.key === nameKey)?.value === doc.uid ? 'ours' : 'taken',
    )
    if (revision === 'taken') fail('ALREADY_EXISTS', { detail: `a pipeline named ${name} exists` })
    const state = this.#newState(doc, revision)
    this.#term.adopt(doc.uid, state)
    return this.#view(this.#get(name))
  }

  async getPipeline(name: PipelineName): Promise<PipelineView> {
    return this.#view(this.#get(name))
  }

  async listPipelines(page: Page): Promise<PageOf<PipelineView>> {
    const states = this.#term.pipelines
      .states()
      .filter((state) => state.core.doc.desired !== 'gone')
      .sort((a, b) => (a.core.doc.name < b.core.doc.name ? -1 : 1))
    return pageOf(states, page, {
      keyOf: (state) => state.core.doc.name,
      view: (state) => this.#view(state),
    })
  }

  async updatePipeline(request: UpdatePipeline): Promise<PipelineView> {
    const { name } = request.spec
    const state = this.#find(name)
    if (state === undefined) {
      if (request.missing === 'create') return this.createPipeline(request)
      return fail('NOT_FOUND', { detail: `no pipeline is named ${name}` })
    }
    this.#checkEtag(state, request.etag)
    this.#checkAlive(state)
    const { doc, records } = state.core
    if (records.length > 0) refuseLossyChange(doc.spec, request.spec)
    const same = JSON.stringify(doc.spec) === JSON.stringify(request.spec)
    const next = same ? doc : { ...doc, spec: request.spec, generation: doc.generation + 1 }
    if (same || request.validate === 'only') return { ...this.#view(state), spec: request.spec }
    return this.#change(state, next, 'no')
  }

  async deletePipeline(request: ChangePipeline): Promise<PipelineView> {
    const state = this.#get(request.name)
    this.#checkEtag(state, request.etag)
    const { doc, status } = state.core
    // A deletion that RESOLVE stopped is asked for again by the same call.
    const underWay = doc.desired === 'deleted' && status === undefined
    if (underWay || request.validate === 'only') return this.#view(state)
    const again = doc.desired === 'deleted' ? 'yes' : 'no'
    return this.#change(state, { ...doc, desired: 'deleted' }, again)
  }

  async pausePipeline(request: ChangePipeline): Promise<PipelineView> {
    const state = this.#get(request.name)
    this.#checkEtag(state, request.etag)
    this.#checkAlive(state)
    if (state.core.doc.desired === 'paused' || request.validate === 'only') {
      return this.#view(state)
    }
    return this.#change(state, { ...state.core.doc, desired: 'paused' }, 'no')
  }

  async resumePipeline(request: ChangePipeline): Promise<PipelineView> {
    const state = this.#get(request.name)
    this.#checkEtag(state, request.etag)
    this.#checkAlive(state)
    const idle = state.core.doc.desired === 'running' && state.core.status === undefined
    if (idle || request.validate === 'only') return this.#view(state)
    return this.#change(state, { ...state.core.doc, desired: 'running' }, 'yes')
  }

  async listCheckpoints(name: PipelineName, page: Page): Promise<PageOf<CheckpointView>> {
    const all = await this.#checkpoints(name)
    return pageOf(all, page, {
      // The number alone: a state may change between two pages.
      keyOf: (item) => item.checkpoint.toString(),
      view: (item) => ({ ...item, positions: [], transactions: [] }),
    })
  }

  async getCheckpoint(name: PipelineName, checkpoint: CheckpointNumber): Promise<CheckpointView> {
    const found = (await this.#checkpoints(name)).find((item) => item.checkpoint === checkpoint)
    return (
      found ?? fail('NOT_FOUND', { detail: `pipeline ${name} has no checkpoint ${checkpoint}` })
    )
  }

  async listTransactions(
    name: PipelineName | undefined,
    page: Page,
  ): Promise<PageOf<TransactionView>> {
    const states = name === undefined ? this.#term.pipelines.states() : [this.#get(name)]
    const all = states.flatMap((state) => views.transactionViews(this.#term, state))
    return pageOf(all, page, { keyOf: (item) => item.id, view: (item) => item })
  }

  async listWorkers(page: Page): Promise<PageOf<WorkerView>> {
    const members = [...this.#term.membership.members()].sort((a, b) =>
      a.worker < b.worker ? -1 : 1,
    )
    return pageOf(members, page, {
      keyOf: (member) => member.worker,
      view: (member) => workerView(this.#term, member),
    })
  }

  async getWorker(worker: WorkerId): Promise<WorkerView> {
    const member = this.#term.membership.members().find((item) => item.worker === worker)
    return member === undefined
      ? fail('NOT_FOUND', { detail: `no worker is named ${worker}` })
      : workerView(this.#term, member)
  }

  async getStatus() {
    const { identity, version } = this.#deps
    return clusterView(this.#term, this.#rates, { identity, version })
  }

  /** Newest first: aborted ones from memory, records whole, retired ones from history. */
  async #checkpoints(name: PipelineName): Promise<readonly CheckpointView[]> {
    const state = this.#get(name)
    const { core } = state
    const confirmed = core.confirmed
    const records = core.records.map((stored) =>
      views.recordView(
        name,
        confirmed?.checkpoint === stored.record.checkpoint
          ? { ...stored, record: confirmed }
          : stored,
      ),
    )
    const aborted = (this.#term.pipelines.entry(core.doc.uid)?.aborted ?? []).map((ended) =>
      views.abortedView(name, ended),
    )
    const retired = (await readHistory(this.#deps.store, core.doc.uid)).map((line) =>
      views.summaryView(name, line),
    )
    const whole = new Set(records.map((item) => item.checkpoint))
    return [...records, ...aborted, ...retired.filter((item) => !whole.has(item.checkpoint))].sort(
      (a, b) => (a.checkpoint > b.checkpoint ? -1 : 1),
    )
  }

  async #change(state: Reduced, doc: PipelineDoc, resumes: 'yes' | 'no'): Promise<PipelineView> {
    const seen = state.core.docRevision
    const request = updateTxn(this.#term.leaderEpoch, doc, { seen, resumes })
    const docKey = keys.docKey(doc.uid)
    const put = request.writes.find((write) => write.key === docKey)
    const text = put?.kind === 'put' ? put.value : undefined
    const revision = await this.#store(request, (reads) =>
      reads.find((value) => value?.key === docKey)?.value === text ? 'ours' : 'taken',
    )
    if (revision === 'taken') {
      fail('ETAG_MISMATCH', { detail: `pipeline ${doc.name} was changed meanwhile` })
    }
    const status = resumes === 'yes' ? undefined : this.#get(doc.name).core.status
    this.#term.dispatch(doc.uid, { kind: 'document', doc, revision, status })
    return this.#view(this.#get(doc.name))
  }

  /** Sends until the outcome is definite, or the term is over; unknown is never guessed (R2). */
  async #store(
    request: Parameters<MetadataStore['txn']>[0],
    judge: (reads: readonly ({ key: string; value: string } | undefined)[]) => 'ours' | 'taken',
  ): Promise<Reduced['core']['docRevision'] | 'taken'> {
    while (this.#term.leads()) {
      const outcome = await this.#deps.store.txn(request)
      if (outcome.kind === 'applied') return outcome.revision
      if (outcome.kind === 'refused') {
        const [leader] = outcome.reads
        if (BigInt(leader?.created ?? -1n) !== BigInt(this.#term.leaderEpoch)) break
        const rest = outcome.reads.slice(1)
        if (judge(rest) === 'taken') return 'taken'
        return rest.find((value) => value !== undefined)?.modified ?? outcome.revision
      }
      await new Promise<void>((resolve) => {
        this.#deps.clock.after(100, resolve)
      })
    }
    return fail('NOT_LEADER', { detail: 'this coordinator lost the lead meanwhile' })
  }

  #newState(doc: PipelineDoc, revision: Reduced['core']['docRevision']): Reduced {
    const { cluster, leaderEpoch } = this.#term
    const request = createTxn(leaderEpoch, doc, 'preview')
    const values = request.writes.flatMap((write) =>
      write.kind === 'put'
        ? [{ key: write.key, value: write.value, created: revision, modified: revision }]
        : [],
    )
    const state = loadPipeline(
      { values, ids: undefined, historyKeys: [] },
      {
        cluster,
        leaderEpoch,
        settings: this.#term.checkpointSettings,
        nowMs: this.#deps.clock.monotonicMs(),
      },
    )
    return state ?? fail('UNEXPECTED', { detail: 'a new pipeline could not be loaded' })
  }

  #preview(doc: PipelineDoc): PipelineView {
    return this.#view(this.#newState(doc, 0n as Reduced['core']['docRevision']))
  }

  #view(state: Reduced): PipelineView {
    return views.pipelineView(this.#term, this.#rates, state)
  }

  #find(name: PipelineName): Reduced | undefined {
    return this.#term.pipelines
      .states()
      .find(({ core }) => core.doc.name === name && core.doc.desired !== 'gone')
  }

  #get(name: PipelineName): Reduced {
    return this.#find(name) ?? fail('NOT_FOUND', { detail: `no pipeline is named ${name}` })
  }

  #checkEtag(state: Reduced, etag: string | undefined): void {
    if (etag === undefined || etag === '' || etag === state.core.docRevision.toString()) return
    fail('ETAG_MISMATCH', { detail: `the etag of pipeline ${state.core.doc.name} is another` })
  }

  #checkAlive(state: Reduced): void {
    if (state.core.doc.desired !== 'deleted') return
    fail('PRECONDITION_FAILED', { detail: `pipeline ${state.core.doc.name} is being deleted` })
  }
}

function pageOf<T, View>(
  items: readonly T[],
  page: Page,
  as: { readonly keyOf: (item: T) => string; readonly view: (item: T) => View },
): PageOf<View> {
  const at =
    page.after === undefined ? 0 : items.findIndex((item) => as.keyOf(item) === page.after) + 1
  if (page.after !== undefined && at === 0) {
    fail('INVALID_ARGUMENT', { detail: 'the page token points at nothing that exists any more' })
  }
  const part = items.slice(at, at + page.size)
  const last = part.at(-1)
  const more = at + page.size < items.length && last !== undefined
  return { items: part.map(as.view), next: more ? as.keyOf(last) : undefined }
}
