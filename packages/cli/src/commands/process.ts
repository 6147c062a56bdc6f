import { readFileSync } from 'node:fs'
import { failure, OnceflowError } from '@onceflow/model'
import type { ConfigOf, ProcessKind } from '@onceflow/spec'
import type { ProcessRuntime, RunningProcess } from 'onceflow'
import { UsageError } from '../exit-code.ts'
import type { Terminal } from '../terminal.ts'
import { version } from '../version.ts'

export interface ProcessOptions {
  /** Path of the configuration file. */
  readonly config: string | undefined
  /** Settings given as flags, by key. */
  readonly flags: Readonly<Record<string, string>>
}

export const coordinator = (terminal: Terminal, options: ProcessOptions): Promise<void> =>
  runUntilStopped(terminal, async () => {
    const config = await configOf('coordinator', terminal, options)
    const { startCoordinator } = await import('onceflow')
    return startCoordinator(config, runtimeOf(terminal))
  })

export const worker = (terminal: Terminal, options: ProcessOptions): Promise<void> =>
  runUntilStopped(terminal, async () => {
    const config = await configOf('worker', terminal, options)
    const { startWorker } = await import('onceflow')
    return startWorker(config, runtimeOf(terminal))
  })

/** A signal that comes while the process starts is kept until it can be stopped cleanly. */
export async function runUntilStopped(
  terminal: Terminal,
  start: () => Promise<RunningProcess>,
): Promise<void> {
  const stopped = terminal.stopped()
  const running = await start()
  await stopped
  await running.stop()
}

export const runtimeOf = (terminal: Terminal): ProcessRuntime => ({
  version: version(),
  env: terminal.env,
  failPoints: terminal.env['ONCEFLOW_FAILPOINTS'] ?? '',
})

/** Throws CONFIG_INVALID with every problem of flags, environment and file. */
export async function configOf<Kind extends ProcessKind>(
  kind: Kind,
  terminal: Terminal,
  options: ProcessOptions,
): Promise<ConfigOf[Kind]> {
  const { parseProcessConfig, problemText } = await import('@onceflow/spec')
  const path = options.config ?? terminal.env['ONCEFLOW_CONFIG']
  const result = parseProcessConfig(kind, {
    flags: options.flags,
    environment: terminal.env,
    file: path === undefined ? undefined : textOf(path),
  })
  if (result.kind === 'ok') return result.config
  const lines = result.problems.map((problem) => `  ${problemText(problem)}`)
  const detail = `${lines.length} problem(s)\n${lines.join('\n')}`
  const hint = `onceflow ${kind} --help lists the settings`
  throw new OnceflowError(failure('CONFIG_INVALID', { detail, hint }))
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown)
    throw new UsageError(`cannot read the configuration: ${reason}`, 'see --config')
  }
}
