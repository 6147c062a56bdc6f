import { readdirSync } from 'node:fs'
import { DemoDatabase, demoTopic } from './demo-events.ts'

const accounts = 100
const transfersPerTick = 10
const tickMs = 200

/** A workload that runs until it is stopped. */
export interface DemoWorkload {
  stop(): void
}

/**
 * Writes a live workload to an empty file log: a first `onceflow dev` shall have something to show.
 * A log that holds anything is the user's: it is left alone.
 */
export async function startDemo(directory: string): Promise<DemoWorkload | undefined> {
  if (readdirSync(directory).length > 0) return undefined
  const { FileLogWriter } = await import('@onceflow/embedded')
  const writer = await FileLogWriter.open(directory)
  writer.createTopic(demoTopic, 1)
  const database = new DemoDatabase(accounts)
  const append = (events: ReturnType<DemoDatabase['begin']>) =>
    writer.append(events.map((event) => ({ topic: demoTopic, partition: 0, ...event })))
  append(database.begin(Date.now()))
  const timer = setInterval(() => {
    const transfers = Array.from({ length: transfersPerTick }, () =>
      database.transfer(Math.random, Date.now()),
    )
    append(transfers.flat())
  }, tickMs)
  return { stop: () => clearInterval(timer) }
}
