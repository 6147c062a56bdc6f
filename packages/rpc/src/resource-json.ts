import type { Json } from '@onceflow/model'
import { instantText } from '@onceflow/spec'
import type { Struct__Output } from './generated/google/protobuf/Struct.ts'
import type { Timestamp__Output } from './generated/google/protobuf/Timestamp.ts'
import { structFromWire } from './struct-wire.ts'

/**
 * A message as proto3 JSON has it: 64-bit numbers are text, enum values are names, timestamps are
 * RFC 3339, a Struct is its mapping. Absent messages and optional fields are left out; every other
 * field is there, also with its default.
 */
export type ResourceJson<T> = T extends null
  ? undefined
  : T extends Timestamp__Output
    ? string
    : T extends Struct__Output
      ? { readonly [key: string]: Json }
      : T extends readonly (infer One)[]
        ? readonly ResourceJson<One>[]
        : T extends object
          ? { readonly [K in keyof T as K extends `_${string}` ? never : K]: ResourceJson<T[K]> }
          : T

/** proto-loader adds the virtual fields of oneofs, which begin with an underscore here. */
export function resourceJson<T>(wire: T): ResourceJson<T> {
  return jsonOf(wire) as ResourceJson<T>
}

function jsonOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(jsonOf)
  if (value === null || typeof value !== 'object') return value ?? undefined
  if (isTimestamp(value)) {
    return instantText(Number(value.seconds) * 1000 + Math.floor(value.nanos / 1e6))
  }
  if (isStruct(value)) return structFromWire(value)
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, one]) => !key.startsWith('_') && one !== null && one !== undefined)
      .map(([key, one]) => [key, jsonOf(one)]),
  )
}

const hasOnly = (value: object, keys: readonly string[]): boolean => {
  const own = Object.keys(value)
  return own.length === keys.length && keys.every((key) => own.includes(key))
}

const isTimestamp = (value: object): value is Timestamp__Output =>
  hasOnly(value, ['seconds', 'nanos'])
const isStruct = (value: object): value is Struct__Output => hasOnly(value, ['fields'])
