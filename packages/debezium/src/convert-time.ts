import {
  type DayTime,
  dateText,
  durationText,
  type EpochUnit,
  eraSuffix,
  firstDay,
  lastDayOfDate,
  lastDayOfTimestamp,
  lastPlausibleDay,
  splitEpoch,
  timestampText,
  timeText,
  yearText,
} from './calendar.ts'
import { type Convert, invalid, isInteger, wrongKind } from './convert-scalar.ts'
import type { TargetBase } from './target-type.ts'

/**
 * Epoch days that mean infinity: of streaming events (two LocalDate constants of the connector) and
 * of snapshots. Both lie outside of what a date can be.
 */
const infiniteDays: ReadonlyMap<string, string> = new Map([
  ['-2147472692', 'infinity'],
  ['-2147472691', '-infinity'],
  ['-622191234', 'infinity'],
  ['-625821272', '-infinity'],
])

const infiniteTimes: ReadonlyMap<EpochUnit, ReadonlyMap<string, string>> = new Map([
  [
    'us',
    new Map([
      ['9223372036825200000', 'infinity'],
      ['-9223372036832400000', '-infinity'],
    ]),
  ],
  [
    'ms',
    new Map([
      ['9223372036825200', 'infinity'],
      ['-9223372036832400', '-infinity'],
    ]),
  ],
  [
    'ns',
    new Map([
      ['9223372036854775807', 'infinity'],
      ['-9223372036854775808', '-infinity'],
    ]),
  ],
])

const isInfinity = (raw: string): boolean => raw === 'infinity' || raw === '-infinity'

const isoDate = /^([+-]?\d{4,7})-(\d\d)-(\d\d)Z?$/
const isoTime = /^(\d\d:\d\d:\d\d(?:\.\d{1,6}0*)?)Z?$/
const isoZonedTime = /^\d\d:\d\d(?::\d\d(?:\.\d{1,6}0*)?)?(?:Z|[+-]\d\d(?::?\d\d)?)$/
const isoTimestamp =
  /^([+-]?\d{4,7})-(\d\d)-(\d\d)[T ](\d\d:\d\d(?::\d\d(?:\.\d{1,6}0*)?)?)(Z|[+-]\d\d(?::?\d\d)?)?$/
/** The usual case: four digits of a year, UTC, up to microseconds; PostgreSQL reads it as it is. */
const plainUtc = /^[1-9]\d{3}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,6})?Z$/

function yearOf(digits: string): { readonly text: string; readonly era: string } {
  const year = Number(digits)
  return { text: yearText(year), era: eraSuffix(year) }
}

export const dateConverter: Convert = (kind, raw) => {
  if (kind === 'number') {
    const infinite = infiniteDays.get(raw)
    if (infinite !== undefined) return infinite
    const days = Number(raw)
    if (!isInteger(raw) || days < firstDay || days > lastDayOfDate) {
      return invalid('a count of days is outside of what a date can be')
    }
    return dateText(days)
  }
  if (kind !== 'string') return wrongKind(kind, 'a date')
  if (isInfinity(raw)) return raw
  const parts = isoDate.exec(raw)
  if (parts === null) return invalid('a string stands where a date is due')
  const year = yearOf(parts[1] as string)
  return `${year.text}-${parts[2]}-${parts[3]}${year.era}`
}

const dayMicros = 86_400_000_000

function microsOf(raw: string, unit: EpochUnit): bigint {
  if (!isInteger(raw)) return invalid('a count of time has a fraction')
  const count = BigInt(raw)
  if (unit === 'us') return count
  if (unit === 'ms') return count * 1000n
  if (count % 1000n !== 0n) return invalid('nanoseconds are more digits than PostgreSQL holds')
  return count / 1000n
}

/** Time of day, up to 24:00:00; an interval column also takes what is outside of a day. */
export function timeConverter(unit: EpochUnit, base: TargetBase): Convert {
  return (kind, raw) => {
    if (kind === 'number') {
      const micros = microsOf(raw, unit)
      if (base === 'interval') return durationText(micros)
      if (micros < 0n || micros > BigInt(dayMicros)) return invalid('a time lies outside of a day')
      return timeText(Number(micros))
    }
    if (kind !== 'string') return wrongKind(kind, 'a time')
    return isoTime.exec(raw)?.[1] ?? invalid('a string stands where a time is due')
  }
}

export const zonedTimeConverter: Convert = (kind, raw) => {
  if (kind !== 'string') return wrongKind(kind, 'a time with zone')
  return isoZonedTime.test(raw) ? raw : invalid('a string stands where a time with zone is due')
}

/** What a timestamp can be at most: all that PostgreSQL holds, or what is plausible for a unit. */
export interface TimestampRule {
  readonly unit: EpochUnit
  readonly range: 'all' | 'plausible'
}

export function timestampConverter(rule: TimestampRule): Convert {
  const infinite = infiniteTimes.get(rule.unit)
  const lastDay = rule.range === 'all' ? lastDayOfTimestamp : lastPlausibleDay
  return (kind, raw) => {
    if (kind === 'string') return isoTimestampText(raw)
    if (kind !== 'number') return wrongKind(kind, 'a timestamp')
    const special = infinite?.get(raw)
    if (special !== undefined) return special
    const split: DayTime | undefined = isInteger(raw) ? splitEpoch(raw, rule.unit) : undefined
    if (split === undefined || split.days < firstDay || split.days > lastDay) {
      return invalid(`a count of ${rule.unit} is outside of what a timestamp can be`)
    }
    return timestampText(split.days, split.micros)
  }
}

/** time.precision.mode=isostring writes a wall clock with a Z that means nothing. */
function isoTimestampText(raw: string): string {
  if (isInfinity(raw)) return raw
  const parts = isoTimestamp.exec(raw)
  if (parts === null) return invalid('a string stands where a timestamp is due')
  if (parts[5] !== undefined && parts[5] !== 'Z') {
    return invalid('a timestamp without time zone has an offset')
  }
  const year = yearOf(parts[1] as string)
  return `${year.text}-${parts[2]}-${parts[3]} ${parts[4]}${year.era}`
}

export const zonedTimestampConverter: Convert = (kind, raw) => {
  if (kind !== 'string') return wrongKind(kind, 'a timestamp with zone')
  if (plainUtc.test(raw) || isInfinity(raw)) return raw
  const parts = isoTimestamp.exec(raw)
  if (parts?.[5] === undefined) return invalid('a string stands where a timestamp with zone is due')
  const year = yearOf(parts[1] as string)
  const zone = parts[5] === 'Z' ? '+00' : parts[5]
  return `${year.text}-${parts[2]}-${parts[3]} ${parts[4]}${zone}${year.era}`
}

const isoIntervalDate = '(?:-?\\d+Y)?(?:-?\\d+M)?(?:-?\\d+D)?'
const isoIntervalTime = '(?:T(?=[-\\d])(?:-?\\d+H)?(?:-?\\d+M)?(?:-?\\d+(?:\\.\\d{1,6})?S)?)?'
const isoInterval = new RegExp(`^P(?=[-\\dT])${isoIntervalDate}${isoIntervalTime}$`)

/** Microseconds, or ISO 8601 with a sign in each part (interval.handling.mode=string). */
export function intervalConverter(unit: 'us' | 'ns', base: TargetBase): Convert {
  return (kind, raw) => {
    if (kind === 'number') {
      const micros = microsOf(raw, unit)
      return base === 'int8' ? String(micros) : durationText(micros)
    }
    if (kind !== 'string') return wrongKind(kind, 'an interval')
    if (base === 'int8') return invalid('an interval in words does not fit into a bigint')
    return isoInterval.test(raw) ? raw : invalid('a string stands where an interval is due')
  }
}
