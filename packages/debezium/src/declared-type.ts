import { type Column, fail } from '@onceflow/model'
import type { WireSchema } from './connect-schema.ts'
import { declaredScale } from './decimal.ts'
import {
  bitsLength,
  decimalPrecision,
  decimalScale,
  type Semantic,
  semanticOf,
} from './semantic.ts'

/**
 * The PostgreSQL type of a column that is to be created from a record's schema. Where the source
 * type was propagated (__debezium.source.column.type) it decides; otherwise the type is the
 * narrowest one that holds every value of the wire type unaltered.
 */
export function declaredType(schema: WireSchema, field: string): string {
  const propagated = propagatedType(schema)
  if (propagated !== undefined) return propagated
  const semantic = semanticOf(schema)
  if (semantic.kind === 'array') return `${elementTypeName(schema, semantic, field)}[]`
  return typeOfSemantic(schema, semantic, field)
}

function elementTypeName(schema: WireSchema, semantic: Semantic, field: string): string {
  const items = schema.items
  if (items === undefined || semantic.kind !== 'array' || semantic.element.kind === 'array') {
    return unsupported('array of arrays', field)
  }
  return typeOfSemantic(items, semantic.element, field)
}

function unsupported(what: string, field: string): never {
  return fail('TYPE_UNSUPPORTED', { detail: `no column type is known for ${what}`, field })
}

function typeOfSemantic(schema: WireSchema, semantic: Semantic, field: string): string {
  switch (semantic.kind) {
    case 'boolean':
      return 'boolean'
    case 'integer':
      return integerType(schema)
    case 'float':
      return schema.type === 'float' ? 'real' : 'double precision'
    case 'decimal':
      return numericType(decimalPrecision(schema), decimalScale(schema))
    case 'variable-decimal':
      return 'numeric'
    case 'bytes':
      return 'bytea'
    case 'date':
      return 'date'
    case 'time':
      return semantic.unit === 'ms' ? 'time(3) without time zone' : 'time without time zone'
    case 'timestamp':
      return semantic.unit === 'ms'
        ? 'timestamp(3) without time zone'
        : 'timestamp without time zone'
    case 'zoned-time':
      return 'time with time zone'
    case 'zoned-timestamp':
      return 'timestamp with time zone'
    case 'interval':
      return 'interval'
    case 'bits':
      return bitsType(bitsLength(schema))
    case 'point':
      return 'point'
    // The text of json is kept byte for byte; jsonb would reorder it and refuse what json takes.
    case 'json':
    case 'map':
      return 'json'
    case 'text':
      return textTypes.get(schema.name ?? '') ?? 'text'
    case 'array':
    case 'plain':
      return unsupported(semantic.kind, field)
    case 'unsupported':
      return unsupported(semantic.what, field)
  }
}

const textTypes: ReadonlyMap<string, string> = new Map([
  ['io.debezium.data.Uuid', 'uuid'],
  ['io.debezium.data.Xml', 'xml'],
  ['io.debezium.data.Tsvector', 'tsvector'],
])

function integerType(schema: WireSchema): string {
  if (schema.type === 'int64') return 'bigint'
  return schema.type === 'int32' ? 'integer' : 'smallint'
}

const numericPrecisionMax = 1000

function numericType(precision: number | undefined, scale: number | undefined): string {
  if (precision === undefined || scale === undefined) return 'numeric'
  if (precision < 1 || precision > numericPrecisionMax) return 'numeric'
  return `numeric(${precision},${declaredScale(scale)})`
}

const bitsType = (length: number | undefined): string =>
  length === undefined ? 'bit varying' : `bit(${length})`

const sourceTypes: ReadonlyMap<string, string> = new Map([
  ['JSON', 'json'],
  ['JSONB', 'jsonb'],
  ['TEXT', 'text'],
  ['INET', 'inet'],
  ['CIDR', 'cidr'],
  ['MACADDR', 'macaddr'],
  ['MACADDR8', 'macaddr8'],
  ['MONEY', 'money'],
  ['OID', 'oid'],
  ['INT4RANGE', 'int4range'],
  ['INT8RANGE', 'int8range'],
  ['NUMRANGE', 'numrange'],
  ['DATERANGE', 'daterange'],
  ['TSRANGE', 'tsrange'],
  ['TSTZRANGE', 'tstzrange'],
])

const lengthOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^[1-9]\d{0,7}$/.test(text) && Number(text) <= 10_485_760
    ? Number(text)
    : undefined

/** Types that the wire type alone does not tell apart; enums and unknown types fall through. */
function propagatedType(schema: WireSchema): string | undefined {
  const source = schema.parameters.get('__debezium.source.column.type')
  if (source === undefined || schema.type === 'array') return undefined
  const known = sourceTypes.get(source)
  if (known !== undefined) return known
  const length = lengthOf(schema.parameters.get('__debezium.source.column.length'))
  const sized = length === undefined ? '' : `(${length})`
  if (schema.type !== 'string' && schema.name !== 'io.debezium.data.Bits') return undefined
  if (source === 'VARCHAR') return `character varying${sized}`
  if (source === 'BPCHAR' || source === 'CHAR')
    return length === undefined ? 'text' : `character${sized}`
  if (source === 'VARBIT') return `bit varying${sized}`
  return undefined
}

export function declaredColumn(
  field: { readonly name: string; readonly schema: WireSchema },
  keyOrdinal: number | undefined,
): Column {
  return {
    name: field.name,
    type: declaredType(field.schema, field.name),
    nullable: field.schema.optional && keyOrdinal === undefined,
    keyOrdinal,
  }
}
