/** PostgreSQL type names as the catalogue writes them, taken apart as far as values need it. */

export type TargetBase =
  | 'boolean'
  | 'int2'
  | 'int4'
  | 'int8'
  | 'oid'
  | 'float4'
  | 'float8'
  | 'numeric'
  | 'money'
  | 'bytea'
  | 'date'
  | 'time'
  | 'timetz'
  | 'timestamp'
  | 'timestamptz'
  | 'interval'
  | 'bit'
  | 'varbit'
  | 'point'
  | 'hstore'
  | 'json'
  /** Types that take the source's text as it is: text, uuid, inet, ranges and the like. */
  | 'text'
  /** A type that we do not know, such as an enum; a domain must come as its base type. */
  | 'other'

export interface TargetType {
  readonly base: TargetBase
  /** First number in parentheses: precision of numeric and times, length of bit. */
  readonly precision: number | undefined
  readonly scale: number | undefined
  readonly array: 'no' | 'one-dimension'
  /** A value of the type can be stored out of line, and so be left out of an update. */
  readonly toast: 'possible' | 'never'
}

const names: ReadonlyMap<string, TargetBase> = new Map<string, TargetBase>([
  ['boolean', 'boolean'],
  ['bool', 'boolean'],
  ['smallint', 'int2'],
  ['int2', 'int2'],
  ['integer', 'int4'],
  ['int', 'int4'],
  ['int4', 'int4'],
  ['bigint', 'int8'],
  ['int8', 'int8'],
  ['oid', 'oid'],
  ['real', 'float4'],
  ['float4', 'float4'],
  ['double precision', 'float8'],
  ['float8', 'float8'],
  ['numeric', 'numeric'],
  ['decimal', 'numeric'],
  ['money', 'money'],
  ['bytea', 'bytea'],
  ['date', 'date'],
  ['time', 'time'],
  ['time without time zone', 'time'],
  ['time with time zone', 'timetz'],
  ['timetz', 'timetz'],
  ['timestamp', 'timestamp'],
  ['timestamp without time zone', 'timestamp'],
  ['timestamp with time zone', 'timestamptz'],
  ['timestamptz', 'timestamptz'],
  ['interval', 'interval'],
  ['bit', 'bit'],
  ['bit varying', 'varbit'],
  ['varbit', 'varbit'],
  ['point', 'point'],
  ['hstore', 'hstore'],
  ['json', 'json'],
  ['jsonb', 'json'],
])

const textNames: ReadonlySet<string> = new Set([
  'text',
  'character varying',
  'varchar',
  'character',
  'char',
  'bpchar',
  '"char"',
  'name',
  'citext',
  'uuid',
  'xml',
  'inet',
  'cidr',
  'macaddr',
  'macaddr8',
  'ltree',
  'tsvector',
  'tsquery',
  'pg_lsn',
  'xid',
  'int4range',
  'int8range',
  'numrange',
  'daterange',
  'tsrange',
  'tstzrange',
  'int4multirange',
  'int8multirange',
  'nummultirange',
  'datemultirange',
  'tsmultirange',
  'tstzmultirange',
])

/** Types of extensions can lie in any schema; others with a schema in front are the user's own. */
const extensionNames: ReadonlySet<string> = new Set(['hstore', 'citext', 'ltree'])

const neverToasted: ReadonlySet<string> = new Set(['"char"', 'name', 'uuid', 'macaddr', 'macaddr8'])
const toastedBases: ReadonlySet<TargetBase> = new Set<TargetBase>([
  'bytea',
  'hstore',
  'json',
  'text',
  'other',
])

const shape =
  /^(.+?)\s*(?:\(\s*(-?\d+)\s*(?:,\s*(-?\d+)\s*)?\))?(\s+with(?:out)? time zone)?((?:\s*\[\d*\])*)$/

export function parseTargetType(type: string): TargetType {
  const parts = shape.exec(type.trim())
  const written = `${parts?.[1] ?? type}${(parts?.[4] ?? '').replace(/^\s+/, ' ')}`
  const name = plainName(written)
  const base = names.get(name) ?? (textNames.has(name) ? 'text' : 'other')
  const isArray = (parts?.[5] ?? '') !== ''
  const isToasted = isArray || (toastedBases.has(base) && !neverToasted.has(name))
  return {
    base,
    precision: numberOf(parts?.[2]),
    scale: numberOf(parts?.[3]),
    array: isArray ? 'one-dimension' : 'no',
    toast: isToasted ? 'possible' : 'never',
  }
}

function plainName(written: string): string {
  const lower = written.startsWith('"') ? written : written.toLowerCase()
  const name = lower.replace(/^pg_catalog\./, '').replace(/^interval .*$/, 'interval')
  const last = name.slice(name.lastIndexOf('.') + 1).replace(/^"(hstore|citext|ltree)"$/, '$1')
  return extensionNames.has(last) ? last : name
}

const numberOf = (digits: string | undefined): number | undefined =>
  digits === undefined ? undefined : Number(digits)

export const elementType = (target: TargetType): TargetType => ({ ...target, array: 'no' })
