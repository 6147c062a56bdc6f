import type { SourceSpec } from '@onceflow/model'
import type { Clock } from '@onceflow/ports'
import { MemoryLog, MemorySourceLog } from '@onceflow/twins'
import { describeSourceLog } from './source-log.ts'

const clock: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
  after: (delayMs, callback) => {
    const timer = setTimeout(callback, delayMs)
    return { cancel: () => clearTimeout(timer) }
  },
}

describeSourceLog('the twin', async () => {
  const log = new MemoryLog(clock)
  return {
    open: async (topics, start) => {
      const spec: SourceSpec = { kind: 'file', directory: '', topics, format: 'bytes', start }
      return new MemorySourceLog(log, spec)
    },
    createTopic: async (topic, partitions) => log.createTopic(topic, partitions),
    append: async (place, records) => log.append(place, records),
    growTopic: async (topic, partitions) => log.growTopic(topic, partitions),
    recreateTopic: async (topic, partitions) => log.createTopic(topic, partitions),
    dropBefore: async (place, earliest) => log.dropBefore(place, earliest),
    appendAborted: async (place, values) => log.skip(place, BigInt(values.length) + 1n),
    close: async () => undefined,
  }
})
