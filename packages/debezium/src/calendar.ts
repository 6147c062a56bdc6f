/**
 * Days and seconds since 1970 as text, in the calendar that PostgreSQL uses.
 */

import { civilDate, daysOfDate } from '@onceflow/model'

const two = (value: number): string => (value < 10 ? `0${value}` : String(value))

/** Year 0 of the calculation is 1 BC: PostgreSQL writes the era behind everything else. */
export const eraSuffix = (year: number): '' | ' BC' => (year <= 0 ? ' BC' : '')
export const yearText = (year: number): string =>
  String(year <= 0 ? 1 - year : year).padStart(4, '0')

export function dateText(days: number): string {
  const { year, month, day } = civilDate(days)
  return `${yearText(year)}-${two(month)}-${two(day)}${eraSuffix(year)}`
}

/** Microseconds of a day, 0 to 86,400,000,000 (24:00:00). */
export function timeText(micros: number): string {
  const fraction = micros % 1_000_000
  const seconds = (micros - fraction) / 1_000_000
  const second = seconds % 60
  const minutes = (seconds - second) / 60
  const minute = minutes % 60
  const hour = (minutes - minute) / 60
  const text = `${two(hour)}:${two(minute)}:${two(second)}`
  return fraction === 0 ? text : `${text}.${fractionText(String(fraction))}`
}

/** Six digits without the zeros behind, as PostgreSQL writes fractions of a second. */
const fractionText = (micros: string): string => micros.padStart(6, '0').replace(/0+$/, '')

export function timestampText(days: number, microsOfDay: number): string {
  const { year, month, day } = civilDate(days)
  const date = `${yearText(year)}-${two(month)}-${two(day)}`
  return `${date} ${timeText(microsOfDay)}${eraSuffix(year)}`
}

/** What PostgreSQL's date and timestamp can hold, in days since 1970. */
export const firstDay = daysOfDate({ year: -4713, month: 11, day: 24 })
export const lastDayOfDate = daysOfDate({ year: 5_874_897, month: 12, day: 31 })
export const lastDayOfTimestamp = daysOfDate({ year: 294_276, month: 12, day: 31 })
/** Beyond it a schemaless number is more likely in another unit than a real time. */
export const lastPlausibleDay = daysOfDate({ year: 9999, month: 12, day: 31 })

export interface DayTime {
  readonly days: number
  readonly micros: number
}

export type EpochUnit = 'ms' | 'us' | 'ns'

const perDayMicros = 86_400_000_000

/**
 * Splits a count since 1970 into days and microseconds of the day. undefined: nanoseconds that
 * PostgreSQL cannot hold, or a count beyond 64 bits.
 */
export function splitEpoch(raw: string, unit: EpochUnit): DayTime | undefined {
  const count = Number(raw)
  if (unit !== 'ns' && Number.isSafeInteger(count)) {
    const perDay = unit === 'ms' ? perDayMicros / 1000 : perDayMicros
    const days = Math.floor(count / perDay)
    const rest = count - days * perDay
    return { days, micros: unit === 'ms' ? rest * 1000 : rest }
  }
  return splitWideEpoch(BigInt(raw), unit)
}

function splitWideEpoch(count: bigint, unit: EpochUnit): DayTime | undefined {
  if (BigInt.asIntN(64, count) !== count) return undefined
  if (unit === 'ns' && count % 1000n !== 0n) return undefined
  const micros = unit === 'ms' ? count * 1000n : unit === 'ns' ? count / 1000n : count
  const perDay = BigInt(perDayMicros)
  const rest = ((micros % perDay) + perDay) % perDay
  return { days: Number((micros - rest) / perDay), micros: Number(rest) }
}

/** A signed count of microseconds as hours, minutes and seconds: exact, also below one second. */
export function durationText(micros: bigint): string {
  // PostgreSQL does not read the lowest value as hours, minutes and seconds.
  if (micros === -(2n ** 63n)) return '-2562047788 hours -54.775808 seconds'
  const sign = micros < 0n ? '-' : ''
  const size = micros < 0n ? -micros : micros
  const seconds = size / 1_000_000n
  const fraction = size % 1_000_000n
  const clock = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')
  return `${sign}${clock}${fraction === 0n ? '' : `.${fractionText(String(fraction))}`}`
}
