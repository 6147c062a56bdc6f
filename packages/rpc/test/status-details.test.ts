import { type Failure, failureCodes } from '@onceflow/model'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Struct, Struct__Output } from '../src/generated/google/protobuf/Struct.ts'
import { codec } from '../src/messages.ts'
import { pageOf, pageSizeMax, pageToken } from '../src/page-token.ts'
import { refusalOf, statusOf } from '../src/status-details.ts'
import { structFromWire, structToWire } from '../src/struct-wire.ts'
import { anyFailure, anyJson, anyText } from './arbitrary-parts.ts'

const anyFields = fc.array(fc.record({ field: anyText, description: anyText }), { maxLength: 3 })

test('a refusal survives its status', () => {
  // A detail that begins with its own code, and an empty hint, are not told apart: nobody makes one.
  const anyCause = anyFailure.map(
    (cause): Failure => ({ ...cause, hint: cause.hint === '' ? 'look' : cause.hint }),
  )
  fc.assert(
    fc.property(anyCause, anyFields, fc.option(anyText, { nil: undefined }), (...parts) => {
      const [failure, fields, leaderAddress] = parts
      const refusal = { failure, fields, leaderAddress }
      expect(refusalOf(statusOf(refusal))).toEqual(refusal)
    }),
  )
})

test('every code has a status that is no success', () => {
  for (const [code, entry] of Object.entries(failureCodes)) {
    const failure = { code: code as Failure['code'], class: entry.class, detail: 'd', hint: 'h' }
    expect(statusOf({ failure }).code).toBeGreaterThan(0)
  }
})

test('a mapping survives google.protobuf.Struct', () => {
  const structs = codec<Struct, Struct__Output>('google.protobuf.Struct')
  fc.assert(
    fc.property(fc.dictionary(anyText, anyJson), (value) => {
      const wire = structs.decode(structs.encode(structToWire(value)))
      expect(JSON.stringify(structFromWire(wire))).toBe(JSON.stringify({ ...value }))
    }),
  )
})

test('a page token is good for its own call only', () => {
  fc.assert(
    fc.property(anyText, fc.array(anyText), fc.array(anyText), (after, call, other) => {
      const request = { pageSize: 0, pageToken: pageToken(after, call) }
      expect(pageOf(request, call).after).toBe(after)
      if (JSON.stringify(call) === JSON.stringify(other)) return
      expect(() => pageOf(request, other)).toThrow(/another call/)
    }),
  )
  expect(pageToken(undefined, [])).toBe('')
  expect(pageOf({ pageSize: 1e6, pageToken: '' }, []).size).toBe(pageSizeMax)
})
