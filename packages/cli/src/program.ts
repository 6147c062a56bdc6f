import { Command, CommanderError, type OutputConfiguration } from 'commander'
import { errorText } from './error-text.ts'
import { type ExitCode, exitCodeOf, exitCodes } from './exit-code.ts'
import {
  collected,
  lengthWithDefault,
  processOptions,
  withChange,
  withCommon,
  withLimit,
  withSettings,
} from './options.ts'
import type { Terminal } from './terminal.ts'
import { version } from './version.ts'

// A command loads its code when it is chosen: what --help needs is this file and commander.

/** Runs one command line; never throws. */
export async function runCli(args: readonly string[], terminal: Terminal): Promise<ExitCode> {
  try {
    const program = await programFor(args, terminal)
    await program.parseAsync([...args], { from: 'user' })
    return exitCodes.ok
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      // Commander has already said what is wrong, or shown its help.
      return thrown.exitCode === 0 ? exitCodes.ok : exitCodes.usage
    }
    terminal.note(errorText(thrown))
    return exitCodeOf(thrown)
  }
}

/** The whole tree of commands, for the reference page. */
export async function programFor(args: readonly string[], terminal: Terminal): Promise<Command> {
  const program = new Command('onceflow')
    .description('Exactly-once change streams: Debezium events in Kafka to rows in PostgreSQL.')
    .version(version())
    .helpCommand('help [command]', 'show the help of a command')
  for (const add of [
    addApply,
    addPipeline,
    addCheckpoint,
    addTransaction,
    addCluster,
    addStatus,
    addAudit,
  ]) {
    add(program, terminal)
  }
  await addProcesses(program, args, terminal)
  settle(program, {
    writeOut: (text) => terminal.data(text.trimEnd()),
    writeErr: (text) => terminal.note(text.trimEnd()),
  })
  return program
}

/** For every command: errors are thrown, and text goes to the terminal that was given. */
function settle(command: Command, output: OutputConfiguration): void {
  command.exitOverride().configureOutput(output).showHelpAfterError('(--help shows the usage)')
  for (const one of command.commands) settle(one, output)
}

function addApply(program: Command, terminal: Terminal): void {
  withChange(program.command('apply'))
    .summary('create or update pipelines from files')
    .description(
      'Creates or updates every pipeline of the files. Nothing is sent when a file has a problem.',
    )
    .requiredOption('-f, --file <path>', 'YAML file, or - for standard input', collected)
    .addHelpText('after', '\nExample:\n  onceflow apply -f shop.yaml --dry-run')
    .action(async (options) => (await import('./commands/apply.ts')).apply(terminal, options))
}

function addPipeline(program: Command, terminal: Terminal): void {
  const noun = program
    .command('pipeline')
    .alias('pipelines')
    .description('Look at and steer pipelines.')
  const load = () => import('./commands/pipeline.ts')
  withLimit(noun.command('list'))
    .description('All pipelines, by name.')
    .action(async (options) => (await load()).list(terminal, options))
  withCommon(noun.command('get <name>'))
    .description('One pipeline; -o yaml shows its spec with secrets redacted.')
    .action(async (name, options) => (await load()).get(terminal, options, name))
  withChange(noun.command('pause <name>'))
    .description('Stop at a committed checkpoint; afterwards nothing is prepared in the sinks.')
    .action(async (name, options) => (await load()).pause(terminal, options, name))
  withChange(noun.command('resume <name>'))
    .description('Go on from the newest committed checkpoint; also after a failure.')
    .action(async (name, options) => (await load()).resume(terminal, options, name))
  withChange(noun.command('delete <name>'))
    .description('End a pipeline, clean its sinks of unfinished transactions, and forget it.')
    .option('--yes', 'do not ask')
    .action(async (name, options) => (await load()).remove(terminal, options, name))
  withCommon(noun.command('watch <name>'))
    .description('A line for each change of state or checkpoint, until Ctrl-C.')
    .action(async (name, options) => (await load()).watch(terminal, options, name))
}

function addCheckpoint(program: Command, terminal: Terminal): void {
  const noun = program
    .command('checkpoint')
    .alias('checkpoints')
    .description('Look at the checkpoints of a pipeline.')
  const load = () => import('./commands/checkpoint.ts')
  withLimit(noun.command('list <pipeline>'))
    .description('The checkpoints that are kept, newest first.')
    .action(async (pipeline, options) => (await load()).list(terminal, options, pipeline))
  withCommon(noun.command('get <pipeline> <number>'))
    .description('One checkpoint with its positions.')
    .action(async (pipeline, checkpoint, options) =>
      (await load()).get(terminal, options, { pipeline, checkpoint }),
    )
}

function addTransaction(program: Command, terminal: Terminal): void {
  const noun = program
    .command('txn')
    .alias('transaction')
    .description('Look at the transactions that sinks hold.')
  withLimit(noun.command('list [pipeline]'))
    .description('Sealed transactions that are not confirmed yet: age, owner, decision.')
    .action(async (pipeline, options) =>
      (await import('./commands/transaction.ts')).list(terminal, options, pipeline),
    )
}

function addCluster(program: Command, terminal: Terminal): void {
  const noun = program.command('cluster').description('Look at the coordinators.')
  withCommon(noun.command('status'))
    .description('The coordinators, and who leads since when.')
    .action(async (options) => (await import('./commands/cluster.ts')).status(terminal, options))
}

function addStatus(program: Command, terminal: Terminal): void {
  withCommon(program.command('status'))
    .summary('one screen: is data flowing, how far behind, what is committed, who leads')
    .description('Is data flowing, how far behind, what is committed, who leads.')
    .option('--watch', 'again and again, until Ctrl-C')
    .addOption(lengthWithDefault('--every <time>', 'with --watch: how often', '1s'))
    .action(async (options) => (await import('./commands/status.ts')).status(terminal, options))
}

function addAudit(program: Command, terminal: Terminal): void {
  withCommon(program.command('audit <pipeline>'))
    .summary('compare source and target, row by row')
    .description(
      'Reads source and target on its own and reports lost, duplicated, phantom and torn rows. ' +
        'Ends with 8 when something is wrong.',
    )
    .option('-f, --file <path>', 'the spec with its secrets, instead of the one of the cluster')
    .option('--source-url <url>', 'compare with the tables of the source database as well')
    .option('--exclusive', 'nobody else writes the target tables: what no record made is a phantom')
    .action(async (pipeline, options) =>
      (await import('./commands/audit.ts')).audit(terminal, options, pipeline),
    )
}

const processNouns = {
  coordinator: 'Run a coordinator: it leads the cluster, or stands by.',
  worker: 'Run a worker: it reads, applies and commits for the pipelines. Or look at workers.',
  dev: 'Run everything in one process, with nothing to install. Not for production.',
} as const

/** The flags of a process come from the table of settings, loaded only where they are needed. */
async function addProcesses(
  program: Command,
  args: readonly string[],
  terminal: Terminal,
): Promise<void> {
  const names = Object.keys(processNouns) as (keyof typeof processNouns)[]
  const isNeeded = names.some((name) => args.includes(name)) && !isWorkerNoun(args)
  const spec = isNeeded ? await import('@onceflow/spec') : undefined
  for (const name of names) {
    const command = program.command(name).description(processNouns[name])
    if (spec !== undefined) {
      withSettings(command, {
        keys: spec.keysOf(name),
        settingOf: (key) => spec.settings[key as keyof typeof spec.settings],
        flagOf: spec.flagOf,
      })
    }
    if (name === 'worker') addWorkerNoun(command, terminal)
    if (name === 'dev') addDev(command, terminal)
    else {
      command.action(async (options) =>
        (await import('./commands/process.ts'))[name](terminal, processOptions(options)),
      )
    }
  }
}

/** `worker` runs one, `worker list` and `worker get` look at those of the cluster. */
const isWorkerNoun = (args: readonly string[]): boolean => {
  const next = args[args.indexOf('worker') + 1]
  return args.includes('worker') && (next === 'list' || next === 'get')
}

function addWorkerNoun(noun: Command, terminal: Terminal): void {
  const load = () => import('./commands/worker.ts')
  withLimit(noun.command('list'))
    .description('All workers that the leader knows.')
    .action(async (options) => (await load()).list(terminal, options))
  withCommon(noun.command('get <id>'))
    .description('One worker with its tasks.')
    .action(async (id, options) => (await load()).get(terminal, options, id))
}

function addDev(command: Command, terminal: Terminal): void {
  command
    .option('-f, --file <path>', 'pipelines to apply once it runs', collected)
    .option('--no-demo', 'no pipeline over the whole file log, and no workload in an empty one')
    .action(async ({ file, demo, ...options }) =>
      (await import('./commands/dev.ts')).dev(terminal, {
        ...processOptions(options),
        file: file ?? [],
        demo,
      }),
    )
}
