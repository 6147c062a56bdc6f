import { readFile } from 'node:fs/promises'
import { openPsql } from './stack-command.ts'

/** A database session that answers when a block of statements has run to its end. */
interface Session {
  run(block: string): Promise<void>
  end(): void
}

function openSession(dir: string): Session {
  const psql = openPsql(dir)
  let printed = ''
  let complaints = ''
  let closed = false
  let wake = (): void => undefined
  psql.stdout.on('data', (chunk: Buffer) => {
    printed += chunk.toString('utf8')
    wake()
  })
  psql.stderr.on('data', (chunk: Buffer) => {
    complaints += chunk.toString('utf8')
  })
  psql.on('close', () => {
    closed = true
    wake()
  })
  let blocks = 0
  return {
    async run(block) {
      blocks += 1
      const mark = `<block ${blocks} done>`
      psql.stdin.write(`${block}\n\\echo '${mark}'\n`)
      while (!printed.includes(mark)) {
        // psql stops at the first error, since ON_ERROR_STOP is set.
        if (closed) throw new Error(`the block failed: ${complaints}\n${block}`)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      }
    },
    end() {
      psql.stdin.end('\\q\n')
    },
  }
}

interface Block {
  readonly part: 'snapshot' | 'stream'
  readonly session: string
  readonly statements: string
}

function blocksOf(text: string): readonly Block[] {
  const blocks: Block[] = []
  let part: Block['part'] = 'snapshot'
  for (const piece of text.split(/^(?=--[@!] )/m)) {
    const head = piece.slice(0, piece.indexOf('\n'))
    if (head.startsWith('--!')) part = 'stream'
    if (!head.startsWith('--@')) continue
    blocks.push({ part, session: head.slice(4).trim(), statements: piece.slice(head.length + 1) })
  }
  return blocks
}

/** Runs one part of the workload, block after block, each on its session. */
export async function runWorkload(dir: string, file: string, part: Block['part']): Promise<void> {
  const sessions = new Map<string, Session>()
  for (const block of blocksOf(await readFile(file, 'utf8'))) {
    if (block.part !== part) continue
    const session = sessions.get(block.session) ?? openSession(dir)
    sessions.set(block.session, session)
    await session.run(block.statements)
  }
  for (const session of sessions.values()) session.end()
}
