/**
 * Dates of the proleptic Gregorian calendar, which PostgreSQL and RFC 3339 use: integers and floor
 * division only, so that nothing jumps in 1582 and nothing is cut towards zero. Years are counted
 * from March, so that the leap day is the last day of its year.
 */

const daysPerEra = 146_097
/** Days from 0000-03-01, where the cycle of 400 years begins, to 1970-01-01. */
const daysToEpoch = 719_468

export interface CivilDate {
  readonly year: number
  readonly month: number
  readonly day: number
}

/** Days since 1970, whole and within what dates PostgreSQL can hold, so a number is exact. */
export function civilDate(days: number): CivilDate {
  const shifted = days + daysToEpoch
  const era = Math.floor(shifted / daysPerEra)
  const dayOfEra = shifted - era * daysPerEra
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return { year, month, day }
}

/** Days since 1970. */
export function daysOfDate({ year, month, day }: CivilDate): number {
  const shiftedYear = month <= 2 ? year - 1 : year
  const era = Math.floor(shiftedYear / 400)
  const yearOfEra = shiftedYear - era * 400
  const dayOfYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + day - 1
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100)
  return era * daysPerEra + dayOfEra + dayOfYear - daysToEpoch
}
