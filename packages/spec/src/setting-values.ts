import { parseDocument } from 'yaml'
import { nearestName } from './nearest-name.ts'
import type { Problem } from './problem.ts'
import { flagOf, type ProcessKind, settingKeys, settings, variableOf } from './process-settings.ts'

export type Origin = 'flag' | 'environment' | 'file' | 'default'

/** A value as text, where it came from, and how it is called there. */
export interface SettingValue {
  readonly text: string
  readonly origin: Origin
  readonly calledBy: string
}

/** What a process was given; the caller has read the environment and the file. */
export interface SettingSources {
  /** By setting key. */
  readonly flags: Readonly<Record<string, string>>
  readonly environment: Readonly<Record<string, string | undefined>>
  /** YAML text of the configuration file. */
  readonly file: string | undefined
}

// Every key that a source may hold, with those of secrets in both forms.
const knownKeys: readonly string[] = settingKeys.flatMap((key) =>
  settings[key].kind === 'secret' ? [key, `${key}_file`] : [key],
)

const prefix = 'ONCEFLOW_'

// Variables of ours that are no settings: read elsewhere, by their owners.
const otherVariables = ['ONCEFLOW_ADDRESS', 'ONCEFLOW_CONFIG', 'ONCEFLOW_FAILPOINTS']

/** Value by key: flag before environment before file before default. */
export function settingValues(
  process: ProcessKind,
  sources: SettingSources,
): { readonly values: ReadonlyMap<string, SettingValue>; readonly problems: readonly Problem[] } {
  const problems: Problem[] = []
  const values = new Map<string, SettingValue>()
  for (const key of settingKeys) {
    const { fallback, processes } = settings[key]
    if (fallback === undefined || !processes.some((one) => one === process)) continue
    values.set(key, { text: fallback, origin: 'default', calledBy: key })
  }
  for (const [key, text] of fileEntries(sources.file, problems)) {
    put(values, key, { text, origin: 'file', calledBy: key })
  }
  for (const [key, text] of environmentEntries(sources.environment, problems)) {
    put(values, key, { text, origin: 'environment', calledBy: variableOf(key) })
  }
  for (const [key, text] of Object.entries(sources.flags)) {
    put(values, key, { text, origin: 'flag', calledBy: flagOf(key) })
  }
  return { values, problems }
}

/** A secret given here replaces one given in the other form by a weaker source. */
function put(values: Map<string, SettingValue>, key: string, value: SettingValue): void {
  const twin = key.endsWith('_file') ? key.slice(0, -'_file'.length) : `${key}_file`
  const isSecret = knownKeys.includes(key) && knownKeys.includes(twin)
  if (isSecret && values.get(twin)?.origin !== value.origin) values.delete(twin)
  values.set(key, value)
}

function environmentEntries(
  environment: Readonly<Record<string, string | undefined>>,
  problems: Problem[],
): [string, string][] {
  const byVariable = new Map(knownKeys.map((key) => [variableOf(key), key]))
  const entries: [string, string][] = []
  for (const [variable, text] of Object.entries(environment)) {
    if (!variable.startsWith(prefix) || text === undefined) continue
    const key = byVariable.get(variable)
    if (key !== undefined) entries.push([key, text])
    else if (!otherVariables.includes(variable)) {
      const near = nearestVariable(variable, [...byVariable.keys(), ...otherVariables])
      const isMeantForUs = near !== undefined || variable.includes('__')
      if (isMeantForUs) problems.push(unknown(variable, near))
    }
  }
  return entries
}

// The common prefix would make every variable look near to every other.
function nearestVariable(given: string, known: readonly string[]): string | undefined {
  const near = nearestName(
    given.slice(prefix.length),
    known.map((name) => name.slice(prefix.length)),
  )
  return near === undefined ? undefined : prefix + near
}

const unknown = (path: string, near: string | undefined): Problem => ({
  path,
  text: 'is not a known setting',
  ...(near === undefined ? {} : { suggestion: `did you mean ${near}?` }),
})

function fileEntries(file: string | undefined, problems: Problem[]): [string, string][] {
  if (file === undefined) return []
  const document = parseDocument(file, { prettyErrors: false })
  const [error] = document.errors
  if (error !== undefined) {
    problems.push({ path: 'configuration file', text: error.message })
    return []
  }
  const value: unknown = document.toJS()
  if (value === null || value === undefined) return []
  return flattened(value, '').filter(([key]) => {
    if (knownKeys.includes(key)) return true
    problems.push(unknown(key, nearestName(key, knownKeys)))
    return false
  })
}

/** Scalars by their path; a list becomes its entries with commas between. */
function flattened(value: unknown, path: string): [string, string][] {
  if (Array.isArray(value)) return [[path, value.map(String).join(',')]]
  if (value === null || typeof value !== 'object') return [[path, scalarText(value)]]
  return Object.entries(value).flatMap(([key, one]) =>
    flattened(one, path === '' ? key : `${path}.${key}`),
  )
}

// `insecure_bind: true` is what a person writes in YAML for yes.
function scalarText(value: unknown): string {
  if (value === true) return 'yes'
  return value === false ? 'no' : String(value ?? '')
}
