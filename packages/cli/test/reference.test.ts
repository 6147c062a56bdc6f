import { keysOf, type ProcessKind, settings, variableOf } from '@onceflow/spec'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { programFor } from '../src/program.ts'
import type { Terminal } from '../src/terminal.ts'

// docs/cli.md is written from the commands and the settings; after a change of either:
//   scripts/pnpm exec vitest run packages/cli/test/reference.test.ts --update

const head = `# The command line

\`onceflow\` runs the processes of a cluster and asks a running one. \`scripts/onceflow\` runs it from a
checkout.

- **Which cluster**: \`--address host:port[,host:port]\`, else \`ONCEFLOW_ADDRESS\`, else
  \`127.0.0.1:7070\`. Any coordinator will do: the leader is found through it.
- **Output**: stdout carries data only, stderr everything else. \`-o table\` (default) and \`-o wide\` are
  for people; \`-o json\` is the API's own proto3 JSON (64-bit numbers are text), \`-o yaml\` the same as
  YAML, \`-o name\` one resource name a line. Secrets are redacted in all of them. Colour only on a
  terminal, and not with \`NO_COLOR\`.
- **Waiting**: \`apply\`, \`pause\`, \`resume\` and \`delete\` wait until the change has taken effect;
  \`--no-wait\` does not, \`--timeout\` says how long. Ctrl-C ends only the waiting.
- **Checking**: \`--dry-run\` checks files and asks the leader, and changes nothing. Whether topics and
  tables fit is seen when a pipeline starts.
- **Errors** are \`CODE: detail\` and a hint; the codes are in [errors.md](errors.md).

## Exit codes

| code | meaning |
| --- | --- |
| 0 | done |
| 1 | failed for a reason without a code of its own, or a named limit is exceeded |
| 2 | the command line, a file or a setting cannot be right |
| 3 | there is no such resource |
| 4 | its state does not allow it, or it has changed meanwhile |
| 5 | not allowed |
| 6 | nobody answers, or not in time |
| 7 | what was waited for ended with an error; an audit that could not check everything |
| 8 | a check found something wrong (\`audit\`) |

A process that was replaced by a newer one ends with 10, one that found a defect in itself with 70;
a supervisor starts it again in both cases.

## A first session

\`\`\`sh
onceflow apply -f shop.yaml --dry-run     # only check
onceflow apply -f shop.yaml               # create or update, and wait until it runs
onceflow status                           # is data flowing, how far behind, who leads
onceflow checkpoint list shop --limit 5
onceflow txn list                         # what sinks hold prepared, and for how long
onceflow audit shop -f shop.yaml          # compare source and target, row by row
onceflow pipeline pause shop
\`\`\`

## Commands

`

const quiet: Terminal = {
  env: {},
  isTty: 'no',
  data: () => undefined,
  note: () => undefined,
  ask: async () => '',
  stopped: async () => undefined,
  wait: async () => undefined,
  nowMs: () => 0,
}

function commandText(command: Command, path: string): string {
  const name = `${path} ${command.name()}`.trim()
  const own = command.commands
    .filter((one) => one.name() !== 'help')
    .map((one) => commandText(one, name))
  const isGroup = own.length > 0 && command.options.length === 0
  if (isGroup) return own.join('')
  const words = command.registeredArguments.map((one) =>
    one.required ? ` <${one.name()}>` : ` [${one.name()}]`,
  )
  const options = command.options.map(
    ({ flags, description, defaultValue, defaultValueDescription }) =>
      `| \`${flags}\` | ${description}${shownDefault(defaultValueDescription ?? defaultValue)} |\n`,
  )
  const table = options.length === 0 ? '' : `| option | |\n| --- | --- |\n${options.join('')}\n`
  return `### \`${name}${words.join('')}\`\n\n${command.description()}\n\n${table}${own.join('')}`
}

const shownDefault = (value: unknown): string =>
  value === undefined || typeof value === 'boolean' || Array.isArray(value)
    ? ''
    : ` (default ${value})`

const isProcess = (command: Command): boolean =>
  ['coordinator', 'worker', 'dev'].includes(command.name())

function settingsText(): string {
  const kinds: readonly ProcessKind[] = ['coordinator', 'worker', 'dev']
  const rows = (kind: ProcessKind) =>
    keysOf(kind).map((key) => {
      const { fallback, meaning, kind: type } = settings[key]
      const name = type === 'secret' ? `\`${key}\`, \`${key}_file\`` : `\`${key}\``
      const shown = fallback === undefined ? '' : `\`${fallback}\``
      return `| ${name} | \`${variableOf(key)}\` | ${shown} | ${meaning} |\n`
    })
  const tables = kinds.map(
    (kind) =>
      `### ${kind}\n\n| key | variable | default | meaning |\n| --- | --- | --- | --- |\n` +
      `${rows(kind).join('')}\n`,
  )
  return `## Settings of the processes

A flag wins over an environment variable, that over the file of \`--config\` (YAML), that over the
default. A dot in a key is a level in the file: \`metadata.endpoints\` is
\`metadata: {endpoints: [...]}\`, \`ONCEFLOW_METADATA__ENDPOINTS\` and \`--metadata-endpoints\`. A secret is
given as a file (\`..._file\`, \`..._FILE\`), as a variable or in the file, never as a flag. A setting that
no process knows is an error. Listening beyond loopback is refused until there is authentication,
unless \`insecure_bind\` says that the network is trusted.

${tables.join('')}`
}

test('docs/cli.md lists every command and every setting', async () => {
  const program = await programFor(['coordinator', 'worker', 'dev'], quiet)
  const commands = program.commands
    .filter((command) => command.name() !== 'help')
    .map((command) => {
      if (!isProcess(command)) return commandText(command, '')
      const own = command.commands
        .filter((one) => one.name() !== 'help')
        .map((one) => commandText(one, command.name()))
      return `### \`${command.name()}\`\n\n${command.description()}\nSettings: below.\n\n${own.join('')}`
    })
  const page = `${head}${commands.join('')}${settingsText()}`.trimEnd()
  await expect(`${page}\n`).toMatchFileSnapshot('../../../docs/cli.md')
})
