import type { Json } from '@onceflow/model'
import type { Struct, Struct__Output } from './generated/google/protobuf/Struct.ts'
import type { Value, Value__Output } from './generated/google/protobuf/Value.ts'

/** A JSON mapping as google.protobuf.Struct; numbers are doubles there. */
export function structToWire(value: { readonly [key: string]: Json }): Struct {
  const fields = Object.entries(value).map(([key, one]) => [key, valueToWire(one)])
  return { fields: Object.fromEntries(fields) }
}

function valueToWire(value: Json): Value {
  if (value === null) return { nullValue: 'NULL_VALUE' }
  switch (typeof value) {
    case 'string':
      return { stringValue: value }
    case 'number':
      return { numberValue: value }
    case 'boolean':
      return { boolValue: value }
    default:
      return isList(value)
        ? { listValue: { values: value.map(valueToWire) } }
        : { structValue: structToWire(value) }
  }
}

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

export function structFromWire(wire: Struct__Output): { readonly [key: string]: Json } {
  const fields = Object.entries(wire.fields ?? {}).map(([key, one]) => [key, valueFromWire(one)])
  return Object.fromEntries(fields)
}

function valueFromWire(wire: Value__Output): Json {
  switch (wire.kind) {
    case 'stringValue':
      return wire.stringValue ?? ''
    case 'numberValue':
      return wire.numberValue ?? 0
    case 'boolValue':
      return wire.boolValue ?? false
    case 'listValue':
      return (wire.listValue?.values ?? []).map(valueFromWire)
    case 'structValue':
      return wire.structValue === null || wire.structValue === undefined
        ? {}
        : structFromWire(wire.structValue)
    default:
      return null
  }
}
