import type { Clock } from '@onceflow/ports'
import { MemoryControl } from '@onceflow/twins'
import { describeControlLink } from './control-link.ts'

const clock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs)
    return { cancel: () => clearTimeout(timer) }
  },
}

describeControlLink('the twin', async () => {
  const control = new MemoryControl({ clock, redialMs: 20 })
  const stops: (() => void)[] = []
  let count = 0
  return {
    coordinator: async () => {
      count += 1
      const address = `memory-${count}:1`
      const gate = control.gate(address)
      stops.push(() => gate.stop('the test is over'))
      return { gate, address }
    },
    worker: () => {
      const link = control.link('w1')
      stops.push(() => link.abandon('the test is over'))
      return link
    },
    close: async () => {
      for (const stop of stops.reverse()) stop()
    },
  }
})
