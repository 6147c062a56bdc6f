import { type Command, InvalidArgumentError, Option } from 'commander'
import type { ProcessOptions } from './commands/process.ts'
import { formats } from './output.ts'

export const collected = (
  value: string,
  before: readonly string[] | undefined,
): readonly string[] => [...(before ?? []), value]

export function countOption(text: string): number {
  const count = Number(text)
  if (Number.isInteger(count) && count > 0) return count
  throw new InvalidArgumentError('It must be a whole number from 1.')
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

function lengthOption(text: string): number {
  const match = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text)
  if (match !== null) return Number(match[1]) * (units[match[2] ?? ''] ?? Number.NaN)
  throw new InvalidArgumentError('It must be a time with its unit, such as 500ms, 30s or 2m.')
}

/** An option that takes a time, with its default as a person would write it. */
export const lengthWithDefault = (flags: string, told: string, fallback: string): Option =>
  new Option(flags, told).argParser(lengthOption).default(lengthOption(fallback), fallback)

/** For every command that asks the cluster. */
export const withCommon = (command: Command): Command =>
  command
    .option(
      '--address <host:port,...>',
      'coordinators to ask (ONCEFLOW_ADDRESS; default 127.0.0.1:7070)',
    )
    .addOption(
      new Option('-o, --output <format>', 'how to show the answer')
        .choices([...formats])
        .default('table'),
    )

export const withLimit = (command: Command): Command =>
  withCommon(command).option('--limit <count>', 'show at most so many', countOption, 1000)

/** For every command that changes a pipeline. */
export const withChange = (command: Command): Command =>
  withCommon(command)
    .option('--dry-run', 'only check, change nothing')
    .option('--no-wait', 'do not wait until the change has taken effect')
    .addOption(lengthWithDefault('--timeout <time>', 'wait so long at most', '60s'))

interface KnownSetting {
  readonly kind: string
  readonly fallback: string | undefined
  readonly meaning: string
}

/** The settings of a process as flags: those of the table that its file and variables share. */
export interface SettingTable {
  readonly keys: readonly string[]
  readonly settingOf: (key: string) => KnownSetting
  readonly flagOf: (key: string) => string
}

/** A secret has only its file as a flag: an argument can be read by everybody on the machine. */
export function withSettings(command: Command, table: SettingTable): Command {
  command.option('--config <file>', 'YAML file with settings (ONCEFLOW_CONFIG)')
  for (const { key, option } of settingOptions(table)) {
    command.addOption(option)
    optionKeys.set(option.attributeName(), key)
  }
  return command
}

const optionKeys = new Map<string, string>()

function settingOptions(table: SettingTable): { readonly key: string; readonly option: Option }[] {
  return table.keys.map((plainKey) => {
    const { kind, fallback, meaning } = table.settingOf(plainKey)
    const key = kind === 'secret' ? `${plainKey}_file` : plainKey
    const value = kind === 'yes-no' ? '[yes|no]' : kind === 'secret' ? '<path>' : '<value>'
    const told = fallback === undefined ? meaning : `${meaning} Default ${fallback}.`
    const option = new Option(`${table.flagOf(key)} ${value}`, told)
    return { key, option: kind === 'yes-no' ? option.preset('yes') : option }
  })
}

export function processOptions(options: Readonly<Record<string, unknown>>): ProcessOptions {
  const flags: Record<string, string> = {}
  for (const [name, value] of Object.entries(options)) {
    const key = optionKeys.get(name)
    if (key !== undefined && value !== undefined) flags[key] = String(value)
  }
  const config = options['config']
  return { config: config === undefined ? undefined : String(config), flags }
}
