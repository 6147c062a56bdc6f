import { fail } from '@onceflow/model'
import type { FailPoints } from '@onceflow/ports'

type Action =
  | { readonly kind: 'crash' | 'freeze' }
  | { readonly kind: 'delay'; readonly ms: number }

interface Armed {
  readonly action: Action
  /** Acts at this hit, counted from 1. */
  readonly hit: number
  seen: number
}

/**
 * Fail points of a test run: `name=crash`, `name=freeze`, `name=delay:250`, each with `@hit` to act
 * at that hit only (1 unless given), comma separated. crash kills this process with SIGKILL; freeze
 * stops it with SIGSTOP until somebody continues it. Nothing is armed by an empty text.
 */
export function armedFailPoints(text: string): FailPoints {
  const armed = new Map<string, Armed>()
  for (const part of text.split(',').filter((item) => item !== '')) {
    const match = /^([^=]+)=(crash|freeze|delay:(\d+))(?:@(\d+))?$/.exec(part)
    if (match === null) return fail('CONFIG_INVALID', { detail: `fail point ${part}` })
    const [, name = '', word = '', ms = '0', hit = '1'] = match
    const action: Action =
      word === 'crash' || word === 'freeze' ? { kind: word } : { kind: 'delay', ms: Number(ms) }
    armed.set(name, { action, hit: Number(hit), seen: 0 })
  }
  return {
    reached: (name) => {
      const point = armed.get(name)
      if (point === undefined) return undefined
      point.seen += 1
      return point.seen === point.hit ? perform(point.action) : undefined
    },
  }
}

function perform(action: Action): Promise<void> {
  switch (action.kind) {
    case 'crash':
      process.kill(process.pid, 'SIGKILL')
      break
    case 'freeze':
      process.kill(process.pid, 'SIGSTOP')
      break
    case 'delay':
      return new Promise((resolve) => {
        setTimeout(resolve, action.ms)
      })
  }
  // The signal arrives before the event loop turns again; the pause makes sure of it.
  return new Promise((resolve) => {
    setTimeout(resolve, 10)
  })
}
