// Values with units, as people write them in a file: `250ms`, `64MiB`, `2026-01-31T12:00:00Z`.
import { civilDate, daysOfDate } from '@onceflow/model'

export const durationPattern = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/
export const sizePattern = /^(\d+)(B|kB|KB|MB|GB|KiB|MiB|GiB)$/
export const instantPattern =
  /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,3})\d*)?(Z|[+-]\d{2}:\d{2})$/

const msOf: Readonly<Record<string, number>> = {
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
  ms: 1,
}

/** Milliseconds, or undefined when the text is no duration with a unit. */
export function durationMs(text: string): number | undefined {
  const match = durationPattern.exec(text)
  if (match === null) return undefined
  return Number(match[1]) * (msOf[match[2] ?? ''] ?? Number.NaN)
}

/** The shortest exact text of a duration. */
export function durationText(ms: number): string {
  const unit = Object.entries(msOf).find(([, size]) => ms >= size && ms % size === 0)
  return unit === undefined ? `${ms}ms` : `${ms / unit[1]}${unit[0]}`
}

const bytesOf: Readonly<Record<string, number>> = {
  GiB: 1024 ** 3,
  MiB: 1024 ** 2,
  KiB: 1024,
  GB: 1000 ** 3,
  MB: 1000 ** 2,
  kB: 1000,
  KB: 1000,
  B: 1,
}

/** Bytes, or undefined when the text is no size with a unit. */
export function sizeBytes(text: string): number | undefined {
  const match = sizePattern.exec(text)
  if (match === null) return undefined
  const bytes = Number(match[1]) * (bytesOf[match[2] ?? ''] ?? Number.NaN)
  return Number.isSafeInteger(bytes) ? bytes : undefined
}

/** The shortest exact text of a size. */
export function sizeText(bytes: number): string {
  const unit = Object.entries(bytesOf).find(([, size]) => bytes >= size && bytes % size === 0)
  return unit === undefined ? `${bytes}B` : `${bytes / unit[1]}${unit[0]}`
}

const daysOfMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
const daysIn = (year: number, month: number): number =>
  month === 2 && isLeap(year) ? 29 : (daysOfMonth[month - 1] ?? 0)

/** Milliseconds since 1970 of an RFC 3339 time, or undefined when it is none. */
export function instantMs(text: string): number | undefined {
  const match = instantPattern.exec(text)
  if (match === null) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const dateExists = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month)
  if (!dateExists || hour > 23 || minute > 59 || second > 59) return undefined
  const fraction = Number((match[7] ?? '').padEnd(3, '0'))
  const utc = ((daysOfDate({ year, month, day }) * 24 + hour) * 60 + minute) * 60 + second
  return utc * 1000 + fraction - zoneMs(match[8] ?? 'Z')
}

function zoneMs(zone: string): number {
  if (zone === 'Z') return 0
  const [hours, minutes] = zone.slice(1).split(':').map(Number) as [number, number]
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

const padded = (value: number, width: number): string => value.toString().padStart(width, '0')

/** The RFC 3339 text, in UTC, of whole milliseconds since 1970. */
export function instantText(ms: number): string {
  const days = Math.floor(ms / 86_400_000)
  const rest = ms - days * 86_400_000
  const { year, month, day } = civilDate(days)
  const date = `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`
  const time = [rest / 3_600_000, (rest / 60_000) % 60, (rest / 1000) % 60]
    .map((part) => padded(Math.floor(part), 2))
    .join(':')
  return `${date}T${time}.${padded(rest % 1000, 3)}Z`
}
