import type { FailPoints } from '@onceflow/ports'

/** Nothing is armed. */
export const noFailPoints: FailPoints = { reached: () => undefined }

/** What happens at a fail point: it holds until released, throws, or calls back and goes on. */
export type FailAction =
  | { readonly kind: 'hold' }
  | { readonly kind: 'throw'; readonly error: Error }
  | { readonly kind: 'call'; readonly callback: () => void }

interface Armed {
  readonly action: FailAction
  hitsLeft: number
}

/** Fail points that a test arms by name; every name reached is kept in order. */
export class ScriptedFailPoints implements FailPoints {
  readonly reachedNames: string[] = []
  readonly #armed = new Map<string, Armed>()
  readonly #held = new Map<string, (() => void)[]>()

  /** hit: the how-manieth time the name is reached, from 1, counted from now. */
  arm(name: string, action: FailAction, hit = 1): void {
    this.#armed.set(name, { action, hitsLeft: hit })
  }

  /** Callers that stand at the name now. */
  holding(name: string): number {
    return this.#held.get(name)?.length ?? 0
  }

  release(name: string): void {
    const resolvers = this.#held.get(name) ?? []
    this.#held.delete(name)
    for (const resolve of resolvers) resolve()
  }

  reached(name: string): Promise<void> | undefined {
    this.reachedNames.push(name)
    const armed = this.#armed.get(name)
    if (armed === undefined) return undefined
    armed.hitsLeft -= 1
    if (armed.hitsLeft > 0) return undefined
    this.#armed.delete(name)
    return this.#perform(name, armed.action)
  }

  #perform(name: string, action: FailAction): Promise<void> | undefined {
    switch (action.kind) {
      case 'hold':
        return new Promise((resolve) => {
          this.#held.set(name, [...(this.#held.get(name) ?? []), resolve])
        })
      case 'throw':
        return Promise.reject(action.error)
      case 'call':
        action.callback()
        return undefined
      default:
        return action satisfies never
    }
  }
}
