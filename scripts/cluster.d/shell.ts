import { spawn } from 'node:child_process'
import { join } from 'node:path'

export const root = join(import.meta.dirname, '..', '..')

/** Runs a command to its end; its standard output as text, its messages in the error. */
export async function run(
  command: string,
  words: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const child = spawn(command, [...words], { stdio: ['ignore', 'pipe', 'pipe'], env })
  const output: Buffer[] = []
  const messages: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  child.stderr.on('data', (chunk: Buffer) => messages.push(chunk))
  const code = await new Promise<number | null>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', resolve)
  })
  if (code !== 0) {
    const text = Buffer.concat(messages).toString('utf8').slice(-2_000)
    throw new Error(`${command} ${words.join(' ').slice(0, 200)} ended with ${code}: ${text}`)
  }
  return Buffer.concat(output).toString('utf8')
}

export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

/** Asks until the answer is not undefined; fails after limitMs with what was waited for. */
export async function until<T>(
  what: string,
  limitMs: number,
  ask: () => Promise<T | undefined>,
): Promise<T> {
  const end = performance.now() + limitMs
  while (performance.now() < end) {
    const answer = await ask()
    if (answer !== undefined) return answer
    await sleep(50)
  }
  throw new Error(`waited ${limitMs} ms in vain for ${what}`)
}
