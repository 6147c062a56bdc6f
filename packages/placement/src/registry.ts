import type { Incarnation, WorkerId } from '@onceflow/model'

/**
 * Who is alive. A worker is lost when its stream broke and it is not back within goneAfterMs, or
 * when no heartbeat came for silentAfterMs although the stream stands (a frozen process). A lost
 * worker that comes back is welcome as a new member: its old tasks are fenced (R4).
 * Invariant: one entry for each worker id. A new incarnation replaces one whose stream broke or
 * that is silent; while the old one is alive it is refused, since two processes under one id would
 * replace each other for ever.
 */
export interface Registry {
  readonly members: ReadonlyMap<string, Member>
}

export interface Member {
  /** `id#incarnation`. */
  readonly key: string
  readonly worker: WorkerId
  readonly incarnation: Incarnation
  readonly tasksMax: number
  readonly link: string | undefined
  readonly draining: 'yes' | 'no'
  readonly heardMs: number
  /** Set while the stream is broken. */
  readonly brokenMs: number | undefined
}

export interface RegistryLimits {
  readonly goneAfterMs: number
  readonly silentAfterMs: number
}

export const defaultRegistryLimits: RegistryLimits = { goneAfterMs: 1_000, silentAfterMs: 5_000 }

export type RegistryEvent =
  | {
      readonly kind: 'hello'
      readonly worker: WorkerId
      readonly incarnation: Incarnation
      readonly tasksMax: number
      readonly link: string
    }
  | { readonly kind: 'heard'; readonly link: string }
  | { readonly kind: 'draining'; readonly link: string }
  | { readonly kind: 'broken'; readonly link: string }
  | { readonly kind: 'tick' }

export interface RegistryStep {
  readonly registry: Registry
  /** joined: a new member. back: the same incarnation on a new link. refused: the id is taken. */
  readonly changes: readonly {
    readonly kind: 'joined' | 'back' | 'lost' | 'refused'
    readonly member: Member
  }[]
}

export const emptyRegistry: Registry = { members: new Map() }

export const memberKey = (worker: WorkerId, incarnation: Incarnation): string =>
  `${worker}#${incarnation}`

export function memberByLink(registry: Registry, link: string): Member | undefined {
  for (const member of registry.members.values()) if (member.link === link) return member
  return undefined
}

export function reduceRegistry(
  registry: Registry,
  event: RegistryEvent & { readonly nowMs: number },
  limits: RegistryLimits,
): RegistryStep {
  switch (event.kind) {
    case 'hello':
      return onHello(registry, event, limits)
    case 'heard':
      return update(registry, event.link, { heardMs: event.nowMs })
    case 'draining':
      return update(registry, event.link, { draining: 'yes', heardMs: event.nowMs })
    case 'broken':
      return update(registry, event.link, { link: undefined, brokenMs: event.nowMs })
    case 'tick':
      return expire(registry, event.nowMs, limits)
  }
}

function onHello(
  registry: Registry,
  event: Extract<RegistryEvent, { kind: 'hello' }> & { readonly nowMs: number },
  limits: RegistryLimits,
): RegistryStep {
  const before = registry.members.get(event.worker)
  const same = before !== undefined && before.incarnation === event.incarnation
  const member: Member = {
    key: memberKey(event.worker, event.incarnation),
    worker: event.worker,
    incarnation: event.incarnation,
    tasksMax: event.tasksMax,
    link: event.link,
    draining: same ? before.draining : 'no',
    heardMs: event.nowMs,
    brokenMs: undefined,
  }
  const alive = before?.link !== undefined && event.nowMs - before.heardMs <= limits.silentAfterMs
  if (alive && !same) return { registry, changes: [{ kind: 'refused', member }] }
  const members = new Map(registry.members).set(event.worker, member)
  const lost = before !== undefined && !same ? [{ kind: 'lost' as const, member: before }] : []
  return {
    registry: { members },
    changes: [...lost, { kind: same ? 'back' : 'joined', member }],
  }
}

function update(registry: Registry, link: string, change: Partial<Member>): RegistryStep {
  const member = memberByLink(registry, link)
  if (member === undefined) return { registry, changes: [] }
  const members = new Map(registry.members).set(member.worker, { ...member, ...change })
  return { registry: { members }, changes: [] }
}

function expire(registry: Registry, nowMs: number, limits: RegistryLimits): RegistryStep {
  const lost = [...registry.members.values()].filter(
    (member) =>
      nowMs - member.heardMs > limits.silentAfterMs ||
      (member.brokenMs !== undefined && nowMs - member.brokenMs > limits.goneAfterMs),
  )
  if (lost.length === 0) return { registry, changes: [] }
  const members = new Map(registry.members)
  for (const member of lost) members.delete(member.worker)
  return {
    registry: { members },
    changes: lost.map((member) => ({ kind: 'lost' as const, member })),
  }
}
