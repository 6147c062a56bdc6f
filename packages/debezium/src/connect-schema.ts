import { fail } from '@onceflow/model'
import { depthMax } from './json-walk.ts'

/** A Kafka Connect schema as JsonConverter writes it into a record, without what no rule needs. */
export interface WireSchema {
  readonly type: WireType
  /** Semantic name, such as io.debezium.time.MicroTimestamp. */
  readonly name: string | undefined
  readonly optional: boolean
  readonly parameters: ReadonlyMap<string, string>
  /** Of a struct. */
  readonly fields: readonly WireField[]
  /** Of an array. */
  readonly items: WireSchema | undefined
}

export interface WireField {
  readonly name: string
  readonly schema: WireSchema
}

const wireTypes = [
  'int8',
  'int16',
  'int32',
  'int64',
  'float',
  'double',
  'boolean',
  'string',
  'bytes',
  'array',
  'map',
  'struct',
] as const

export type WireType = (typeof wireTypes)[number]

const wireTypeNames: ReadonlyMap<unknown, WireType> = new Map(
  wireTypes.map((type) => [type as unknown, type]),
)

/**
 * Reads the schema's JSON text. Its numbers (versions, defaults) lose digits in this parse and are
 * not used: a default belongs to the source's table and never replaces a value.
 */
export function parseWireSchema(text: string): WireSchema | undefined {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return undefined
  }
  return readSchema(json, 0)
}

/** The object has the type name of a Connect schema: the test that tells a schema from a column. */
export function looksLikeSchema(text: string): 'schema' | 'other' {
  try {
    return wireTypeNames.has(membersOf(JSON.parse(text)).get('type')) ? 'schema' : 'other'
  } catch {
    return 'other'
  }
}

function membersOf(json: unknown): ReadonlyMap<string, unknown> {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return new Map()
  return new Map(Object.entries(json))
}

function readSchema(json: unknown, depth: number): WireSchema {
  const members = membersOf(json)
  const type = wireTypeNames.get(members.get('type'))
  if (type === undefined || depth > depthMax) {
    return fail('RECORD_UNREADABLE', { detail: 'the record holds a schema of no known type' })
  }
  const name = members.get('name')
  const items = members.get('items')
  const fields = members.get('fields')
  return {
    type,
    name: typeof name === 'string' ? name : undefined,
    optional: members.get('optional') === true,
    parameters: readParameters(members.get('parameters')),
    fields: Array.isArray(fields) ? fields.map((field) => readField(field, depth + 1)) : [],
    items: items === undefined ? undefined : readSchema(items, depth + 1),
  }
}

function readField(json: unknown, depth: number): WireField {
  const name = membersOf(json).get('field')
  if (typeof name !== 'string') {
    return fail('RECORD_UNREADABLE', { detail: 'the record holds a schema field without a name' })
  }
  return { name, schema: readSchema(json, depth) }
}

function readParameters(json: unknown): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const [name, value] of membersOf(json)) if (typeof value === 'string') texts.set(name, value)
  return texts
}

export function fieldNamed(schema: WireSchema | undefined, name: string): WireSchema | undefined {
  return schema?.fields.find((field) => field.name === name)?.schema
}
