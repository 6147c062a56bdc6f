import type { EpochUnit } from './calendar.ts'
import type { WireSchema } from './connect-schema.ts'
import type { TargetType } from './target-type.ts'

/**
 * What a value on the wire means: told by the record's own schema, or, for a schemaless record, by
 * the type of the target column (then `trust` is 'target').
 */
export type Semantic =
  | { readonly kind: 'boolean' }
  | { readonly kind: 'integer' }
  | { readonly kind: 'float' }
  | { readonly kind: 'text' }
  | { readonly kind: 'json' }
  /** Unscaled integer in base64; without a schema it can also be plain digits. */
  | { readonly kind: 'decimal'; readonly scale: number | undefined; readonly trust: Trust }
  | { readonly kind: 'variable-decimal' }
  /** Base64; without a schema it can also be hexadecimal. */
  | { readonly kind: 'bytes'; readonly trust: Trust }
  | { readonly kind: 'date' }
  | { readonly kind: 'time'; readonly unit: EpochUnit }
  | { readonly kind: 'timestamp'; readonly unit: EpochUnit; readonly trust: Trust }
  | { readonly kind: 'zoned-time' }
  | { readonly kind: 'zoned-timestamp' }
  | { readonly kind: 'interval'; readonly unit: 'us' | 'ns' }
  | { readonly kind: 'bits'; readonly length: number | undefined }
  | { readonly kind: 'point' }
  | { readonly kind: 'map' }
  | { readonly kind: 'array'; readonly element: Semantic }
  /** Of a flat JSON record: the text is the value. */
  | { readonly kind: 'plain' }
  | { readonly kind: 'unsupported'; readonly what: string }

export type Trust = 'schema' | 'target'

/** PostgreSQL's length of a bit varying without one, as the schema's parameter says it. */
const unbounded = '2147483647'

function numberParameter(schema: WireSchema, name: string): number | undefined {
  const text = schema.parameters.get(name)
  return text !== undefined && /^-?\d{1,9}$/.test(text) ? Number(text) : undefined
}

export function bitsLength(schema: WireSchema): number | undefined {
  return schema.parameters.get('length') === unbounded
    ? undefined
    : numberParameter(schema, 'length')
}

export const decimalScale = (schema: WireSchema): number | undefined =>
  numberParameter(schema, 'scale')
export const decimalPrecision = (schema: WireSchema): number | undefined =>
  numberParameter(schema, 'connect.decimal.precision')

const text: Semantic = { kind: 'text' }
const time = (unit: EpochUnit): Semantic => ({ kind: 'time', unit })
const timestamp = (unit: EpochUnit): Semantic => ({ kind: 'timestamp', unit, trust: 'schema' })

/** Meanings by semantic name; the names that carry parameters are in semanticOf. */
const named: ReadonlyMap<string, Semantic> = new Map<string, Semantic>([
  ['io.debezium.data.VariableScaleDecimal', { kind: 'variable-decimal' }],
  ['io.debezium.time.Date', { kind: 'date' }],
  ['io.debezium.time.IsoDate', { kind: 'date' }],
  ['org.apache.kafka.connect.data.Date', { kind: 'date' }],
  ['io.debezium.time.Time', time('ms')],
  ['io.debezium.time.MicroTime', time('us')],
  ['io.debezium.time.NanoTime', time('ns')],
  ['io.debezium.time.IsoTime', time('us')],
  ['org.apache.kafka.connect.data.Time', time('ms')],
  ['io.debezium.time.Timestamp', timestamp('ms')],
  ['io.debezium.time.MicroTimestamp', timestamp('us')],
  ['io.debezium.time.NanoTimestamp', timestamp('ns')],
  ['io.debezium.time.IsoTimestamp', timestamp('us')],
  ['org.apache.kafka.connect.data.Timestamp', timestamp('ms')],
  ['io.debezium.time.ZonedTime', { kind: 'zoned-time' }],
  ['io.debezium.time.ZonedTimestamp', { kind: 'zoned-timestamp' }],
  ['io.debezium.time.MicroDuration', { kind: 'interval', unit: 'us' }],
  ['io.debezium.time.NanoDuration', { kind: 'interval', unit: 'ns' }],
  ['io.debezium.time.Interval', { kind: 'interval', unit: 'us' }],
  ['io.debezium.time.Year', { kind: 'integer' }],
  ['io.debezium.data.Json', { kind: 'json' }],
  ['io.debezium.data.Xml', text],
  ['io.debezium.data.Uuid', text],
  ['io.debezium.data.Ltree', text],
  ['io.debezium.data.Tsvector', text],
  ['io.debezium.data.Enum', text],
  ['io.debezium.data.EnumSet', text],
  ['io.debezium.data.geometry.Point', { kind: 'point' }],
])

/** The meaning that the record's schema gives; an unknown semantic name is not guessed. */
export function semanticOf(schema: WireSchema): Semantic {
  if (schema.name === 'org.apache.kafka.connect.data.Decimal') {
    return { kind: 'decimal', scale: decimalScale(schema), trust: 'schema' }
  }
  if (schema.name === 'io.debezium.data.Bits') {
    return { kind: 'bits', length: bitsLength(schema) }
  }
  if (schema.name !== undefined) {
    return named.get(schema.name) ?? { kind: 'unsupported', what: schema.name }
  }
  return primitiveSemantic(schema)
}

function primitiveSemantic(schema: WireSchema): Semantic {
  switch (schema.type) {
    case 'boolean':
      return { kind: 'boolean' }
    case 'int8':
    case 'int16':
    case 'int32':
    case 'int64':
      return { kind: 'integer' }
    case 'float':
    case 'double':
      return { kind: 'float' }
    case 'string':
      return text
    case 'bytes':
      return { kind: 'bytes', trust: 'schema' }
    case 'map':
      return { kind: 'map' }
    case 'array': {
      const items = schema.items
      if (items === undefined) return { kind: 'unsupported', what: 'array without item schema' }
      return { kind: 'array', element: semanticOf(items) }
    }
    case 'struct':
      return { kind: 'unsupported', what: 'struct' }
  }
}

/**
 * The meaning of a value without schema, from the target column. The precision of a time column
 * tells its unit as it does at the source (adaptive): up to 3 digits are milliseconds.
 */
export function bareSemantic(target: TargetType): Semantic {
  if (target.array === 'one-dimension') {
    return { kind: 'array', element: bareElement({ ...target, array: 'no' }) }
  }
  switch (target.base) {
    case 'boolean':
      return { kind: 'boolean' }
    case 'int2':
    case 'int4':
    case 'int8':
    case 'oid':
      return { kind: 'integer' }
    case 'float4':
    case 'float8':
      return { kind: 'float' }
    case 'numeric':
      return { kind: 'decimal', scale: numericScale(target), trust: 'target' }
    case 'money':
      return { kind: 'decimal', scale: 2, trust: 'target' }
    case 'bytea':
      return { kind: 'bytes', trust: 'target' }
    case 'date':
      return { kind: 'date' }
    case 'time':
      return time(adaptiveUnit(target))
    case 'timestamp':
      return { kind: 'timestamp', unit: adaptiveUnit(target), trust: 'target' }
    case 'timetz':
      return { kind: 'zoned-time' }
    case 'timestamptz':
      return { kind: 'zoned-timestamp' }
    case 'interval':
      return { kind: 'interval', unit: 'us' }
    case 'bit':
    case 'varbit':
      return { kind: 'bits', length: target.base === 'bit' ? (target.precision ?? 1) : undefined }
    case 'point':
      return { kind: 'point' }
    case 'hstore':
    case 'json':
      return { kind: 'json' }
    case 'text':
    case 'other':
      return text
  }
}

const adaptiveUnit = (target: TargetType): EpochUnit => ((target.precision ?? 6) <= 3 ? 'ms' : 'us')

/** numeric(p) has scale 0; numeric without parentheses has none. */
const numericScale = (target: TargetType): number | undefined =>
  target.precision === undefined ? undefined : (target.scale ?? 0)

/** In arrays times come in microseconds whatever the precision; a declared one leaves doubt. */
function bareElement(target: TargetType): Semantic {
  const isCoarseTime = target.base === 'time' || target.base === 'timestamp'
  if (isCoarseTime && adaptiveUnit(target) === 'ms') {
    return { kind: 'unsupported', what: 'array of times of unknown unit in a schemaless record' }
  }
  return bareSemantic(target)
}
