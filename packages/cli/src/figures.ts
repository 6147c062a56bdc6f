/** `STATE_RUNNING` as people read it. */
export const word = (name: string): string =>
  name
    .replace(/^[A-Z]+_/, '')
    .toLowerCase()
    .replaceAll('_', ' ')

/** `pipelines/shop` as people call it. */
export const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

const steps: readonly (readonly [number, string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1000, 's'],
]

/** A length of time in its two largest units, or in milliseconds below a second. */
export function lengthText(ms: number): string {
  const whole = Math.max(0, Math.round(ms))
  const first = steps.findIndex(([size]) => whole >= size)
  if (first < 0) return `${whole}ms`
  const [size, unit] = steps[first] ?? [1, 'ms']
  const next = steps[first + 1]
  if (next === undefined) return `${(whole / size).toFixed(1)}${unit}`
  const rest = Math.floor((whole % size) / next[0])
  return `${Math.floor(whole / size)}${unit}${rest === 0 ? '' : `${rest}${next[1]}`}`
}

/** How long ago an RFC 3339 time was; '-' when there is none. */
export const ageText = (time: string | undefined, nowMs: number): string =>
  time === undefined ? '-' : lengthText(nowMs - Date.parse(time))

/** 1234567 as 1,234,567; text of 64-bit numbers keeps every digit. */
export const countText = (count: number | string): string =>
  (typeof count === 'number' ? Math.round(count).toString() : count).replaceAll(
    /\B(?=(?:\d{3})+$)/g,
    ',',
  )

export function bytesText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let value = bytes
  let unit = 0
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024
    unit += 1
  }
  return `${unit === 0 ? value : value.toFixed(1)}${units[unit]}`
}
