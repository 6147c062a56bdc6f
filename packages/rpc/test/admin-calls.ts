import type { Json, OnceflowError } from '@onceflow/model'
import { structToWire } from '../src/struct-wire.ts'

/** A pipeline as a user writes it. */
export const document = (name = 'shop', more: object = {}) => ({
  name,
  source: { kind: 'kafka', brokers: ['localhost:9092'], topics: ['t'] },
  sinks: [
    { kind: 'postgres', name: 'main', host: 'h', database: 'd', user: 'u', password: 'hush' },
  ],
  ...more,
})

export const struct = (value: object) => ({ spec: structToWire(value as { [key: string]: Json }) })

/** What a call that must be refused was refused with. */
export const refusalOf = (call: Promise<unknown>): Promise<OnceflowError> =>
  call.then(
    () => Promise.reject(new Error('the call was answered')),
    (thrown) => thrown,
  )
