import { civilDate, daysOfDate } from '@onceflow/model'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { durationText } from '../src/calendar.ts'
import { bareCreate, decodeInto, failureOf, rowOf, shapeOf, typedCreate } from './support.ts'

function decode(schema: string | undefined, json: string, type: string): string {
  const into = shapeOf([
    ['id', 'bigint'],
    ['v', type],
  ])
  const record = schema === undefined ? bareCreate(json) : typedCreate(schema, json)
  const decoded = decodeInto({ ...record, into })
  return decoded.kind === 'failed' ? failureOf(decoded) : String(rowOf(decoded).get('v'))
}

const schemaOf = (type: string, name: string): string =>
  JSON.stringify({ type, optional: true, name: `io.debezium.time.${name}`, version: 1 })
const connect = (type: string, name: string): string =>
  JSON.stringify({
    type,
    optional: true,
    name: `org.apache.kafka.connect.data.${name}`,
    version: 1,
  })

const invalid = 'VALUE_INVALID v'

describe('DZ-19: case-C23, case-C27: dates', () => {
  test.each([
    ['17474', '2017-11-04'],
    ['0', '1970-01-01'],
    ['-1', '1969-12-31'],
    ['-719162', '0001-01-01'],
    ['-719163', '0001-12-31 BC'],
    ['-141427', '1582-10-15'],
    ['-141428', '1582-10-14'],
    ['-141438', '1582-10-04'],
    ['2932896', '9999-12-31'],
    ['2145042905', '5874897-12-31'],
    ['2145042906', invalid],
    ['-2440588', '4714-11-24 BC'],
    ['-2440589', invalid],
    ['-2147472692', 'infinity'],
    ['-2147472691', '-infinity'],
    ['-622191234', 'infinity'],
    ['-625821272', '-infinity'],
    ['1.5', invalid],
    ['"2017-09-15Z"', '2017-09-15'],
    ['"-0043-03-15"', '0044-03-15 BC'],
    ['"15.9.2017"', invalid],
  ])('%s is %s', (json, expected) => {
    for (const schema of [schemaOf('int32', 'Date'), connect('int32', 'Date'), undefined]) {
      expect(decode(schema, json, 'date')).toBe(expected)
    }
  })

  test('each day follows the one before, over all centuries', () => {
    const day = fc.integer({ min: -2_440_588, max: 2_145_042_905 })
    fc.assert(fc.property(day, (days) => daysOfDate(civilDate(days)) === days))
    for (let days = -750_000; days < 750_000; days += 37) {
      const { year, month, day: dayOfMonth } = civilDate(days)
      const date = new Date(days * 86_400_000)
      expect([date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]).toEqual([
        year,
        month,
        dayOfMonth,
      ])
    }
  })
})

describe('DZ-19: case-C21, case-C25, case-C27: timestamps', () => {
  const micro = schemaOf('int64', 'MicroTimestamp')
  const milli = schemaOf('int64', 'Timestamp')
  const nano = schemaOf('int64', 'NanoTimestamp')
  test.each([
    [micro, '1529507596945104', '2018-06-20 15:13:16.945104'],
    [micro, '-1', '1969-12-31 23:59:59.999999'],
    [micro, '0', '1970-01-01 00:00:00'],
    [micro, '-30595922954876544', '1000-06-15 12:30:45.123456'],
    [micro, '-62133004800000000', '0001-01-31 00:00:00'],
    [micro, '253402300799999999', '9999-12-31 23:59:59.999999'],
    [micro, '9224318015999999999', invalid],
    [micro, '-9223372036853775810', invalid],
    [micro, '9223372036825200000', 'infinity'],
    [micro, '-9223372036832400000', '-infinity'],
    [milli, '-1', '1969-12-31 23:59:59.999'],
    [milli, '1709210096789', '2024-02-29 12:34:56.789'],
    [milli, '9224318015999999', '294276-12-31 23:59:59.999'],
    [milli, '9224318016000000', invalid],
    [milli, '9223372036825200', 'infinity'],
    [milli, '-9223372036832400', '-infinity'],
    [connect('int64', 'Timestamp'), '1709210096789', '2024-02-29 12:34:56.789'],
    [nano, '1529507596945104000', '2018-06-20 15:13:16.945104'],
    [nano, '-1000', '1969-12-31 23:59:59.999999'],
    [nano, '1529507596945104001', invalid],
    [nano, '9223372036854775807', 'infinity'],
    [nano, '-9223372036854775808', '-infinity'],
    [schemaOf('string', 'IsoTimestamp'), '"2017-09-15T12:00:01.5Z"', '2017-09-15 12:00:01.5'],
    [micro, '1.5', invalid],
    [micro, 'true', invalid],
  ])('%s %s is %s', (schema, json, expected) => {
    expect(decode(schema, json, 'timestamp without time zone')).toBe(expected)
  })

  test.each([
    ['"2016-11-04T11:51:30.123456Z"', '2016-11-04T11:51:30.123456Z'],
    ['"2024-03-31T01:30:00Z"', '2024-03-31T01:30:00Z'],
    ['"infinity"', 'infinity'],
    ['"-infinity"', '-infinity'],
    ['"+21016-11-04T06:51:30.123456Z"', '21016-11-04 06:51:30.123456+00'],
    ['"-4713-12-31T23:59:59.999999Z"', '4714-12-31 23:59:59.999999+00 BC'],
    ['"0001-01-01T00:00:00.000000Z"', '0001-01-01 00:00:00.000000+00'],
    ['"2024-01-01T00:00:00+05:30"', '2024-01-01 00:00:00+05:30'],
    ['"2024-01-01T00:00:00"', invalid],
    ['"2024-01-01T00:00:00.1234567Z"', invalid],
    ['"2024-01-01T00:00:00.1234560Z"', '2024-01-01 00:00:00.1234560+00'],
    ['1529507596945104', invalid],
  ])('case-C137: ZonedTimestamp %s is %s', (json, expected) => {
    const schema = schemaOf('string', 'ZonedTimestamp')
    expect(decode(schema, json, 'timestamp with time zone')).toBe(expected)
    expect(decode(undefined, json, 'timestamptz(6)')).toBe(expected)
  })

  test('case-C137: a wall clock never becomes an instant, nor an instant a wall clock', () => {
    expect(decode(micro, '0', 'timestamptz')).toBe('TARGET_MISMATCH v')
    const zoned = schemaOf('string', 'ZonedTimestamp')
    expect(decode(zoned, '"2024-03-31T01:30:00Z"', 'timestamp')).toBe('TARGET_MISMATCH v')
  })
})

describe('DZ-19: times and intervals', () => {
  test.each([
    [schemaOf('int32', 'Time'), '49890123', 'time(3)', '13:51:30.123'],
    [schemaOf('int64', 'MicroTime'), '49890123789', 'time', '13:51:30.123789'],
    [schemaOf('int64', 'MicroTime'), '86400000000', 'time', '24:00:00'],
    [schemaOf('int64', 'MicroTime'), '86400000001', 'time', invalid],
    [schemaOf('int64', 'MicroTime'), '-1000000', 'time', invalid],
    [schemaOf('int64', 'MicroTime'), '-1000000', 'interval', '-00:00:01'],
    [schemaOf('int64', 'MicroTime'), '3020399000000', 'interval', '838:59:59'],
    [schemaOf('int64', 'NanoTime'), '1000', 'time', '00:00:00.000001'],
    [schemaOf('int64', 'NanoTime'), '1', 'time', invalid],
    [schemaOf('string', 'IsoTime'), '"13:51:30.5Z"', 'time', '13:51:30.5'],
    [schemaOf('string', 'ZonedTime'), '"11:51:30.123789Z"', 'timetz', '11:51:30.123789Z'],
    [schemaOf('string', 'ZonedTime'), '"24:00:00Z"', 'time with time zone', '24:00:00Z'],
    [schemaOf('string', 'ZonedTime'), '"noon"', 'timetz', invalid],
  ])('%s %s into %s is %s', (...given) => {
    const [schema = '', json = '', type = '', expected] = given
    expect(decode(schema, json, type)).toBe(expected)
  })

  test.each([
    ['1123456', '00:00:01.123456'],
    ['-1', '-00:00:00.000001'],
    ['45296123456', '12:34:56.123456'],
    ['3020398999999', '838:59:58.999999'],
    ['37091106780000', '10303:05:06.78'],
    ['-9223372036854775808', '-2562047788 hours -54.775808 seconds'],
    ['"P1Y2M3DT4H5M6.78S"', 'P1Y2M3DT4H5M6.78S'],
    ['"P0Y0M0DT0H0M-0.5S"', 'P0Y0M0DT0H0M-0.5S'],
    ['"P-1Y-2M3DT-4H-5M-6S"', 'P-1Y-2M3DT-4H-5M-6S'],
    ['"P"', invalid],
    ['"PT"', invalid],
    ['"1 day"', invalid],
  ])('case-C41: interval %s is %s', (json, expected) => {
    expect(decode(schemaOf('int64', 'MicroDuration'), json, 'interval')).toBe(expected)
    expect(decode(undefined, json, 'interval')).toBe(expected)
  })

  test('a count of microseconds can land in a bigint', () => {
    expect(decode(schemaOf('int64', 'MicroDuration'), '-1', 'bigint')).toBe('-1')
  })

  test('durations are exact over 64 bits', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }), (micros) => {
        const [, sign, hours, minutes, seconds, fraction] =
          /^(-?)(\d+):(\d\d):(\d\d)(?:\.(\d{1,6}))?$/.exec(durationText(micros)) ?? []
        const size =
          (BigInt(hours ?? '') * 3600n + BigInt(minutes ?? '') * 60n + BigInt(seconds ?? '')) *
            1_000_000n +
          BigInt((fraction ?? '').padEnd(6, '0'))
        expect(sign === '-' ? -size : size).toBe(micros)
      }),
    )
  })
})

describe('DZ-27: times without schema have the unit of the target precision', () => {
  test.each([
    ['1709210096789012', 'timestamp without time zone', '2024-02-29 12:34:56.789012'],
    ['1709210096789012', 'timestamp(6)', '2024-02-29 12:34:56.789012'],
    ['1709210096789', 'timestamp(3) without time zone', '2024-02-29 12:34:56.789'],
    ['1709210096000', 'timestamp(0) without time zone', '2024-02-29 12:34:56'],
    ['-1', 'timestamp', '1969-12-31 23:59:59.999999'],
    ['9223372036825200000', 'timestamp', 'infinity'],
    ['1709210096789012', 'timestamp(3)', invalid],
    ['1709210096789012000', 'timestamp', invalid],
    ['-9223372036853775810', 'timestamp', invalid],
    ['"2024-02-29T12:34:56Z"', 'timestamp', '2024-02-29 12:34:56'],
    ['45296789', 'time(3)', '12:34:56.789'],
    ['45296789012', 'time without time zone', '12:34:56.789012'],
    ['45296789012', 'time(3)', invalid],
    ['[1709210096789012,null]', 'timestamp[]', '{"2024-02-29 12:34:56.789012",NULL}'],
    ['[45296789000]', 'time[]', '{"12:34:56.789"}'],
    ['[19782,-719162]', 'date[]', '{2024-02-29,0001-01-01}'],
    ['[45296789000]', 'time(3)[]', 'TYPE_UNSUPPORTED v'],
  ])('%s into %s is %s', (json, type, expected) => {
    expect(decode(undefined, json, type)).toBe(expected)
  })
})
