import type { PipelineUid } from '@onceflow/model'
import type { Member } from '@onceflow/placement'
import type { ClusterView, WorkerView } from '@onceflow/ports'
import { flowOf, lastCheckpoint, pipelineView, sumFlow } from './admin-view.ts'
import type { FlowRates } from './flow-rates.ts'
import type { LeaderIdentity } from './leader-lease.ts'
import type { Term } from './term.ts'

export function workerView(term: Term, member: Member): WorkerView {
  const figures = term.membership.figuresOf(member.worker)
  const nowMs = term.nowMs()
  return {
    worker: member.worker,
    incarnation: member.incarnation,
    version: figures?.version ?? '',
    state: member.draining === 'yes' ? 'draining' : member.link === undefined ? 'silent' : 'live',
    peer: figures?.peer ?? '',
    connectedMs: figures?.connectedWallMs ?? 0,
    heartbeatAgeMs: Math.max(0, Math.round(nowMs - member.heardMs)),
    tasksMax: member.tasksMax,
    tasks: (figures?.tasks ?? []).flatMap((task) => {
      const pipeline = nameOf(term, task.pipeline)
      if (pipeline === undefined) return []
      const { subtask, attempt, lastCommitted, lagRecords, recordsIn, waiting } = task
      return [{ pipeline, subtask, attempt, lastCommitted, lagRecords, recordsIn, waiting }]
    }),
    rssBytes: figures?.rssBytes ?? 0,
    eventLoopLagMs: figures?.eventLoopLagMs ?? 0,
  }
}

const nameOf = (term: Term, uid: PipelineUid) => term.pipelines.entry(uid)?.state.core.doc.name

export function clusterView(
  term: Term,
  rates: FlowRates,
  self: { readonly identity: LeaderIdentity; readonly version: string },
): ClusterView {
  const states = term.pipelines.states().filter(({ core }) => core.doc.desired !== 'gone')
  const members = term.membership.members()
  const { node, address } = self.identity
  return {
    cluster: term.cluster,
    version: self.version,
    leader: {
      id: node,
      address,
      leaderEpoch: term.leaderEpoch,
      sinceMs: term.startedWallMs,
    },
    coordinators: [{ id: node, address, role: 'leader' }],
    workersLive: members.filter((member) => member.link !== undefined).length,
    workersLost: members.filter((member) => member.link === undefined).length,
    pipelines: states.map((state) => {
      const view = pipelineView(term, rates, state)
      return {
        name: view.name,
        state: view.state,
        failure: view.failure,
        flow: view.flow,
        lastCheckpoint: lastCheckpoint(state),
      }
    }),
    flow: sumFlow(states.map((state) => flowOf(term, rates, state))),
  }
}
