import { type BinaryText, type DecimalText, fail } from '@onceflow/model'
import { base64Converter, binaryTextConverter, bitsConverter } from './convert-binary.ts'
import {
  bareDecimalConverter,
  decimalTextConverter,
  schemaDecimalConverter,
  variableDecimalConverter,
} from './convert-decimal.ts'
import { arrayConverter, hstoreConverter, pointConverter } from './convert-nested.ts'
import {
  booleanConverter,
  type Convert,
  floatConverter,
  integerConverter,
  jsonConverter,
  plainConverter,
  textConverter,
} from './convert-scalar.ts'
import {
  dateConverter,
  intervalConverter,
  timeConverter,
  timestampConverter,
  zonedTimeConverter,
  zonedTimestampConverter,
} from './convert-time.ts'
import type { Semantic } from './semantic.ts'
import { elementType, type TargetBase, type TargetType } from './target-type.ts'

export interface ConvertOptions {
  readonly decimals: DecimalText
  readonly binary: BinaryText
}

const numbers: readonly TargetBase[] = ['numeric', 'money', 'text', 'other']
const integers: readonly TargetBase[] = ['int2', 'int4', 'int8', 'oid']

/** Target types that take a meaning without being able to alter it. */
const accepted: { readonly [K in Semantic['kind']]: readonly TargetBase[] } = {
  boolean: ['boolean', 'bit', 'varbit', 'int2', 'int4', 'int8', 'numeric', 'text', 'other'],
  integer: [...integers, ...numbers, 'boolean'],
  float: ['float4', 'float8', ...numbers],
  text: ['text', 'other', 'json', 'hstore', 'numeric', 'money', 'bytea'],
  json: ['json', 'hstore', 'text', 'other'],
  decimal: numbers,
  'variable-decimal': numbers,
  bytes: ['bytea'],
  date: ['date', 'timestamp', 'text'],
  time: ['time', 'interval', 'text'],
  timestamp: ['timestamp', 'text'],
  'zoned-time': ['timetz', 'text'],
  'zoned-timestamp': ['timestamptz', 'text'],
  interval: ['interval', 'int8', 'text'],
  bits: ['bit', 'varbit', 'text'],
  point: ['point', 'text'],
  map: ['hstore', 'json'],
  array: [],
  plain: [],
  unsupported: [],
}

const refuse =
  (code: 'TYPE_UNSUPPORTED' | 'TARGET_MISMATCH', detail: string): Convert =>
  () =>
    fail(code, { detail })

/** The conversion of one column, chosen once: what it cannot do exactly it refuses by value. */
export function converterOf(
  semantic: Semantic,
  target: TargetType,
  options: ConvertOptions,
): Convert {
  if (semantic.kind === 'unsupported') {
    return refuse('TYPE_UNSUPPORTED', `no conversion is known for ${semantic.what}`)
  }
  if (semantic.kind === 'plain') return plainOf(target)
  if (semantic.kind === 'array' && target.array === 'one-dimension') {
    return arrayConverter(converterOf(semantic.element, elementType(target), options))
  }
  if (target.array !== 'no' || !accepted[semantic.kind].includes(target.base)) {
    return refuse('TARGET_MISMATCH', `the target column cannot take a ${semantic.kind} unaltered`)
  }
  return scalarOf(semantic, target, options)
}

function plainOf(target: TargetType): Convert {
  if (target.array === 'no') return plainConverter
  const elements = arrayConverter(plainConverter)
  return (kind, raw) => (kind === 'array' ? elements(kind, raw) : raw)
}

function scalarOf(semantic: Semantic, target: TargetType, options: ConvertOptions): Convert {
  const base = target.base
  switch (semantic.kind) {
    case 'boolean':
      return booleanConverter(base)
    case 'integer':
      return integerConverter(base)
    case 'float':
      return floatConverter
    case 'text':
      return textOf(base, options)
    case 'json':
    case 'map':
      return base === 'hstore' ? hstoreConverter : jsonConverter
    case 'decimal':
      return semantic.trust === 'schema'
        ? schemaDecimalConverter(semantic.scale)
        : bareDecimalConverter(semantic.scale, options.decimals)
    case 'variable-decimal':
      return variableDecimalConverter
    case 'bytes':
      return semantic.trust === 'schema' ? base64Converter : binaryTextConverter(options.binary)
    case 'bits':
      return bitsConverter(bitsLengthFor(semantic.length, target))
    case 'point':
      return pointConverter
    default:
      return temporalOf(semantic, base)
  }
}

function textOf(base: TargetBase, options: ConvertOptions): Convert {
  if (base === 'numeric' || base === 'money') return decimalTextConverter
  if (base === 'bytea') return binaryTextConverter(options.binary)
  return base === 'hstore' ? hstoreConverter : textConverter
}

function bitsLengthFor(length: number | undefined, target: TargetType): number | undefined {
  if (target.base === 'bit') return target.precision ?? 1
  return target.base === 'varbit' ? undefined : length
}

function temporalOf(semantic: Semantic, base: TargetBase): Convert {
  switch (semantic.kind) {
    case 'date':
      return dateConverter
    case 'time':
      return timeConverter(semantic.unit, base)
    case 'timestamp':
      return timestampConverter({
        unit: semantic.unit,
        range: semantic.trust === 'schema' ? 'all' : 'plausible',
      })
    case 'zoned-time':
      return zonedTimeConverter
    case 'zoned-timestamp':
      return zonedTimestampConverter
    case 'interval':
      return intervalConverter(semantic.unit, base)
    default:
      return refuse('TYPE_UNSUPPORTED', `no conversion is known for ${semantic.kind}`)
  }
}
