import type { Phase, TxnTag } from '@onceflow/checkpoint'
import type { LeaderMessage } from '@onceflow/ports'

/**
 * Places where a test may kill or freeze a coordinator: around every Txn (`.before`, and
 * `.reply-lost`: stored, but the answer is never seen) and around every order it sends. All are
 * inert unless armed.
 */
const txnPoints = {
  attempt: 'R3.attempt',
  decide: 'P6.decide',
  completed: 'R4.completed',
  resolved: 'R10.resolved',
  status: 'R7.status',
  gone: 'delete.gone',
  reserve: 'P0.reserve',
  retire: 'P10.retire',
  complete: 'P9.complete',
} as const

const orderPoints = {
  inspect: 'inspect',
  'resolve-commit': 'R4.resolve-commit',
  'resolve-abort': 'R4.resolve-abort',
  'start-task': 'R10.start-task',
  'inject-barrier': 'P1.inject',
  commit: 'P7.commit',
  abort: 'R3.abort',
  'stop-tasks': 'R14.stop-tasks',
} as const

const receivedPoints = { sealed: 'P5.sealed', committed: 'P9.committed' } as const

export const coordinatorFailPoints: readonly string[] = [
  ...Object.values(txnPoints).flatMap((name) => [`${name}.before`, `${name}.reply-lost`]),
  ...Object.values(orderPoints).flatMap((name) => [`${name}.before`, `${name}.after`]),
  ...Object.values(receivedPoints).map((name) => `${name}.received`),
].map((name) => `coordinator.${name}`)

/** The point of a Txn, from the phase that waits for it. */
export function txnPoint(phase: Phase, tag: TxnTag): string | undefined {
  if (tag !== 'move') return `coordinator.${txnPoints[tag]}`
  switch (phase.kind) {
    case 'storing-attempt':
      return `coordinator.${txnPoints.attempt}`
    case 'running':
      return `coordinator.${txnPoints.decide}`
    case 'storing-completed':
      return `coordinator.${txnPoints.completed}`
    case 'storing-resolved':
      return `coordinator.${txnPoints.resolved}`
    case 'storing-status':
      return `coordinator.${txnPoints.status}`
    case 'storing-gone':
      return `coordinator.${txnPoints.gone}`
    default:
      return undefined
  }
}

export function orderPoint(message: LeaderMessage): string | undefined {
  return message.kind in orderPoints
    ? `coordinator.${orderPoints[message.kind as keyof typeof orderPoints]}`
    : undefined
}

export function receivedPoint(kind: string): string | undefined {
  return kind in receivedPoints
    ? `coordinator.${receivedPoints[kind as keyof typeof receivedPoints]}.received`
    : undefined
}
