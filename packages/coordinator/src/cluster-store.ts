import {
  type CheckpointSummary,
  decodeHistory,
  keys,
  type LoadContext,
  loadPipeline,
  type PipelineState,
  uidOfKey,
} from '@onceflow/checkpoint'
import {
  type ClusterUid,
  clusterUid,
  fail,
  type LeaderEpoch,
  type PipelineUid,
  revision,
} from '@onceflow/model'
import type { MetadataStore, RandomSource, StoredValue } from '@onceflow/ports'

const pageSize = 500
const formatVersion = 1

/** Every value under a prefix, in key order, page by page. */
async function readAll(
  store: MetadataStore,
  prefix: string,
  keysOnly: 'yes' | 'no' = 'no',
): Promise<readonly StoredValue[]> {
  const values: StoredValue[] = []
  let after: string | undefined
  while (true) {
    const page = await store.range({
      prefix,
      limit: pageSize,
      keysOnly,
      ...(after === undefined ? {} : { after }),
    })
    values.push(...page.values)
    after = page.values.at(-1)?.key
    if (page.more === 'no' || after === undefined) return values
  }
}

/** The cluster's uid; the first leader ever makes it. */
export async function openCluster(
  store: MetadataStore,
  epoch: LeaderEpoch,
  random: RandomSource,
): Promise<ClusterUid> {
  const text = JSON.stringify({ v: formatVersion, uid: random.token(12) })
  const outcome = await store.txn({
    compares: [
      { kind: 'created', key: keys.leaderKey, revision: revision(epoch) },
      { kind: 'absent', key: keys.metaKey },
    ],
    writes: [{ kind: 'put', key: keys.metaKey, value: text }],
    elseReads: [keys.metaKey],
  })
  if (outcome.kind === 'applied') return uidIn(text)
  if (outcome.kind === 'refused') {
    const found = outcome.reads[0]
    if (found !== undefined) return uidIn(found.value)
  }
  return fail('METADATA_UNREACHABLE', { detail: 'the cluster uid could not be read or stored' })
}

function uidIn(text: string): ClusterUid {
  const json = JSON.parse(text) as { v: number; uid: string }
  if (json.v !== formatVersion) {
    fail('METADATA_FORMAT', { detail: `the cluster's metadata has format ${json.v}` })
  }
  return clusterUid(json.uid)
}

/** Every pipeline that is stored, as a new leader takes it over. */
export async function loadPipelines(
  store: MetadataStore,
  context: LoadContext,
): Promise<ReadonlyMap<PipelineUid, PipelineState>> {
  const groups = new Map<PipelineUid, StoredValue[]>()
  for (const value of await readAll(store, keys.pipelinesPrefix)) {
    const uid = uidOfKey(value.key)
    if (uid === undefined) continue
    const group = groups.get(uid)
    if (group === undefined) groups.set(uid, [value])
    else group.push(value)
  }
  const states = new Map<PipelineUid, PipelineState>()
  for (const [uid, values] of groups) {
    const ids = (await readAll(store, keys.idsKey(uid))).find(
      (value) => value.key === keys.idsKey(uid),
    )
    const history = await readAll(store, keys.historyPrefix(uid), 'yes')
    const historyKeys = history.map((value) => value.key)
    const state = loadPipeline({ values, ids, historyKeys }, context)
    if (state !== undefined) states.set(uid, state)
  }
  return states
}

/** Retired checkpoints, newest first, read for people. */
export async function readHistory(
  store: MetadataStore,
  pipeline: PipelineUid,
): Promise<readonly CheckpointSummary[]> {
  const blocks = await readAll(store, keys.historyPrefix(pipeline))
  return blocks
    .flatMap((block) => decodeHistory(block.value))
    .sort((a, b) => (a.checkpoint > b.checkpoint ? -1 : 1))
}

/**
 * Removes what a deleted pipeline left, in batches, its document last: a leader that takes over in
 * the middle goes on.
 */
export async function sweepPipeline(
  store: MetadataStore,
  epoch: LeaderEpoch,
  pipeline: PipelineUid,
): Promise<void> {
  const docKey = keys.docKey(pipeline)
  const names = [
    ...(await readAll(store, keys.historyPrefix(pipeline), 'yes')),
    ...(await readAll(store, keys.idsKey(pipeline), 'yes')).filter(
      (value) => value.key === keys.idsKey(pipeline),
    ),
    ...(await readAll(store, keys.pipelinePrefix(pipeline), 'yes')),
  ]
    .map((value) => value.key)
    .filter((name) => name !== docKey)
  for (let at = 0; at <= names.length; at += 100) {
    const batch = names.slice(at, at + 100)
    const last = at + 100 > names.length ? [docKey] : []
    const outcome = await store.txn({
      compares: [{ kind: 'created', key: keys.leaderKey, revision: revision(epoch) }],
      writes: [...batch, ...last].map((name) => ({ kind: 'delete', key: name }) as const),
      elseReads: [],
    })
    if (outcome.kind === 'refused') return
    if (outcome.kind !== 'applied') fail('METADATA_UNREACHABLE', { detail: outcome.cause })
  }
}
