import { spawn } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')

/** Runs scripts/stack with its output as text; anything but success throws with its messages. */
export async function stack(dir: string, words: readonly string[]): Promise<string> {
  const [command, ...rest] = words
  if (command === undefined) throw new Error('a command of scripts/stack is needed')
  const child = spawn(join(root, 'scripts', 'stack'), [command, '--dir', dir, ...rest], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: Buffer[] = []
  const messages: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => messages.push(chunk))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (code !== 0) {
    throw new Error(`scripts/stack ${words.join(' ')} ended with ${code}: ${textOf(messages)}`)
  }
  return textOf(output)
}

/** One query on the source database; the answer without decoration. */
export function query(dir: string, sql: string): Promise<string> {
  return stack(dir, ['psql', 'source', '-qtA', '-v', 'ON_ERROR_STOP=1', '-c', sql])
}

/** A psql of its own, fed through its standard input. */
export function openPsql(dir: string) {
  return spawn(
    join(root, 'scripts', 'stack'),
    ['psql', '--dir', dir, 'source', '-q', '-v', 'ON_ERROR_STOP=1'],
    { stdio: ['pipe', 'pipe', 'pipe'] },
  )
}

function textOf(chunks: readonly Buffer[]): string {
  return Buffer.concat(chunks).toString('utf8')
}
