import { z } from 'zod'
import { nearestName } from './nearest-name.ts'
import { type PathPart, type Problem, pathText } from './problem.ts'

/** A problem that still knows its path in parts, so that a line can be found for it. */
export interface PlacedProblem extends Problem {
  readonly parts: readonly PathPart[]
}

export function placed(
  parts: readonly PathPart[],
  text: string,
  suggestion?: string,
): PlacedProblem {
  return { parts, path: pathText(parts), text, ...(suggestion === undefined ? {} : { suggestion }) }
}

type Issue = z.core.$ZodIssue

/** Every problem of a value whose shape does not fit; in the order of the document. */
export function schemaProblems(schema: z.ZodType, value: unknown): readonly PlacedProblem[] {
  const result = schema.safeParse(value)
  if (result.success) return []
  return result.error.issues.flatMap((issue) => problemsOf({ schema, value }, issue))
}

/** A value and the schema that it should fit, both from their root. */
interface Subject {
  readonly schema: z.ZodType
  readonly value: unknown
}

function problemsOf(subject: Subject, issue: Issue): PlacedProblem[] {
  const { value } = subject
  const parts = issue.path.map((part) => (typeof part === 'number' ? part : String(part)))
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey(key, parts, keysAt(subject, parts)))
    case 'invalid_type':
      return [invalidType(issue, valueAt(value, parts), parts)]
    case 'invalid_value':
      return [notOneOf(issue.values.map(String), valueAt(value, parts), parts)]
    case 'invalid_union':
      return unionProblems(subject, issue, parts)
    case 'too_small':
      return [placed(parts, tooSmall(issue))]
    case 'too_big':
      return [placed(parts, `must be at most ${issue.maximum}`)]
    case 'invalid_format':
      return [placed(parts, `${shown(valueAt(value, parts))} is not ${formatName(issue.message)}`)]
    default:
      return [placed(parts, issue.message)]
  }
}

const formatName = (message: string): string => message.replace(/^must be /, '')

function unknownKey(
  key: string,
  parts: readonly PathPart[],
  known: readonly string[],
): PlacedProblem {
  const near = nearestName(key, known)
  const suggestion =
    near === undefined ? `known here: ${known.join(', ')}` : `did you mean ${near}?`
  return placed([...parts, key], 'is not a known key', suggestion)
}

interface TypeIssue {
  readonly expected: string
  readonly message: string
}

function invalidType(issue: TypeIssue, given: unknown, parts: readonly PathPart[]): PlacedProblem {
  if (given === undefined) return placed(parts, 'is required')
  // A schema with a message of its own says better what it wants than the name of a type.
  const wish = issue.message.startsWith('Invalid') ? article(issue.expected) : issue.message
  return placed(parts, `must be ${wish}, not ${shown(given)}`)
}

const article = (expected: string): string => {
  const word = { object: 'mapping', array: 'list', record: 'mapping', int: 'whole number' }
  const name = (word as Record<string, string>)[expected] ?? expected
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`
}

function notOneOf(
  words: readonly string[],
  given: unknown,
  parts: readonly PathPart[],
): PlacedProblem {
  if (given === undefined) return placed(parts, 'is required', `one of: ${words.join(', ')}`)
  const near = nearestName(String(given), words)
  const wish = `${words.length === 1 ? '' : 'one of '}${words.join(', ')}`
  const text = `must be ${wish}, not ${shown(given)}`
  return near === undefined ? placed(parts, text) : placed(parts, text, `did you mean ${near}?`)
}

function tooSmall(issue: Extract<Issue, { code: 'too_small' }>): string {
  if (issue.origin === 'string') return 'must not be empty'
  if (issue.origin === 'array') return `needs at least ${issue.minimum} entry`
  return `must be at least ${issue.minimum}`
}

/** The problems of the alternative that is nearest: the one that has the fewest. */
function unionProblems(
  subject: Subject,
  issue: Extract<Issue, { code: 'invalid_union' }>,
  parts: readonly PathPart[],
): PlacedProblem[] {
  const given = valueAt(subject.value, parts)
  const alternatives = (issue.errors ?? []).map((issues) =>
    issues.map((one) => ({ ...one, path: [...parts, ...one.path] }) as Issue),
  )
  const isDeeper = (issues: readonly Issue[]) =>
    issues.some((one) => one.path.length > parts.length || one.code === 'unrecognized_keys')
  const chosen = alternatives.filter(isDeeper).sort((a, b) => a.length - b.length)[0]
  if (chosen !== undefined) return chosen.flatMap((one) => problemsOf(subject, one))
  const found = schemaAt(subject, parts.slice(0, -1))
  if (found instanceof z.ZodDiscriminatedUnion) {
    return [notOneOf(discriminators(found), given, parts)]
  }
  if (given === undefined) return [placed(parts, 'is required')]
  const format = (issue.errors ?? []).flat().find((one) => one.code === 'invalid_format')
  const wish = format === undefined ? wishes(issue) : formatName(format.message)
  return [placed(parts, `must be ${wish}, not ${shown(given)}`)]
}

const wishes = (issue: Extract<Issue, { code: 'invalid_union' }>): string =>
  (issue.errors ?? [])
    .flat()
    .map((one) =>
      one.code === 'invalid_value'
        ? one.values.map(String).join(' or ')
        : one.code === 'invalid_type'
          ? article(one.expected)
          : one.message,
    )
    .join(' or ')

const discriminators = (schema: z.ZodDiscriminatedUnion): string[] =>
  schema.options.flatMap((option) => {
    const literal =
      option instanceof z.ZodObject ? option.shape[schema.def.discriminator] : undefined
    return literal instanceof z.ZodLiteral ? [...literal.values].map(String) : []
  })

/** The keys that an object may have at a path; of a union, those of the alternative given. */
function keysAt(subject: Subject, parts: readonly PathPart[]): readonly string[] {
  const found = schemaAt(subject, parts)
  if (found instanceof z.ZodObject) return Object.keys(found.shape)
  if (!(found instanceof z.ZodUnion)) return []
  const given = valueAt(subject.value, parts)
  const options = found.options.filter((option) => option instanceof z.ZodObject)
  const matching = options.filter((option) => matchesKind(found, option, given))
  return (matching.length > 0 ? matching : options).flatMap((option) => Object.keys(option.shape))
}

function matchesKind(union: z.ZodUnion, option: z.ZodObject, given: unknown): boolean {
  if (!(union instanceof z.ZodDiscriminatedUnion)) return true
  if (given === null || typeof given !== 'object') return false
  const key = union.def.discriminator
  return option.shape[key]?.safeParse(Reflect.get(given, key)).success === true
}

function schemaAt(subject: Subject, parts: readonly PathPart[]): z.ZodType | undefined {
  let current: z.ZodType | undefined = unwrapped(subject.schema)
  for (const [depth, part] of parts.entries()) {
    if (current instanceof z.ZodArray) current = unwrapped(current.element as z.ZodType)
    else if (current instanceof z.ZodObject) current = unwrapped(current.shape[part])
    else if (current instanceof z.ZodUnion) {
      const union: z.ZodUnion = current
      const given = valueAt(subject.value, parts.slice(0, depth))
      const option = union.options.find(
        (one) => one instanceof z.ZodObject && part in one.shape && matchesKind(union, one, given),
      )
      current = option instanceof z.ZodObject ? unwrapped(option.shape[part]) : undefined
    } else return undefined
  }
  return current
}

function unwrapped(schema: unknown): z.ZodType | undefined {
  if (schema instanceof z.ZodOptional) return unwrapped(schema.unwrap())
  return schema instanceof z.ZodType ? schema : undefined
}

function valueAt(value: unknown, parts: readonly PathPart[]): unknown {
  let current = value
  for (const part of parts) {
    if (current === null || typeof current !== 'object') return undefined
    current = Reflect.get(current, part)
  }
  return current
}

const shownMax = 60

/** A value as it may stand in a message: short, and never a whole mapping. */
function shown(value: unknown): string {
  if (value !== null && typeof value === 'object') {
    return Array.isArray(value) ? 'a list' : 'a mapping'
  }
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > shownMax ? `${text.slice(0, shownMax)}...` : text
}
