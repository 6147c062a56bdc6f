import type { AdminClient } from '@onceflow/rpc'
import { UsageError } from './exit-code.ts'
import { type Format, formatOf } from './output.ts'
import type { Terminal } from './terminal.ts'

/** Options that every command of the API has. */
export interface CommonOptions {
  readonly address?: string
  readonly output: string
}

/** A command at work: its terminal, its format, and the cluster it speaks to. */
export interface Session {
  readonly terminal: Terminal
  readonly format: Format
  readonly client: AdminClient
}

export const defaultAddress = '127.0.0.1:7070'

/** Opens a client for as long as the work takes. Flag before environment before default. */
export async function withSession(
  terminal: Terminal,
  options: CommonOptions,
  work: (session: Session) => Promise<void>,
): Promise<void> {
  const format = formatOf(options.output)
  const addresses = addressesOf(options.address ?? terminal.env['ONCEFLOW_ADDRESS'])
  const { AdminClient } = await import('@onceflow/rpc')
  const client = new AdminClient({ addresses, clock: clockOf(terminal) })
  try {
    await work({ terminal, format, client })
  } finally {
    client.close()
  }
}

function addressesOf(text: string | undefined): readonly string[] {
  const given = text === undefined || text === '' ? defaultAddress : text
  const addresses = given.split(',').map((part) => part.trim())
  const bad = addresses.find((one) => !/^(?:\[[0-9A-Fa-f:.]+\]|[^\s:/[\]]+):\d{1,5}$/.test(one))
  if (bad === undefined) return addresses
  throw new UsageError(`the address ${bad} is not host:port`, 'several are separated by commas')
}

const clockOf = (terminal: Terminal) => ({
  monotonicMs: () => performance.now(),
  wallMs: () => terminal.nowMs(),
  after: (delayMs: number, callback: () => void) => {
    const timer = setTimeout(callback, delayMs)
    return { cancel: () => clearTimeout(timer) }
  },
})

/** Reads list pages until `limit` items, or the end; says so when there was more. */
export async function everyPage<T>(
  limit: number,
  page: (pageSize: number, pageToken: string) => Promise<{ items: readonly T[]; next: string }>,
): Promise<readonly T[]> {
  const items: T[] = []
  let pageToken = ''
  do {
    const { items: some, next } = await page(Math.min(1000, limit - items.length), pageToken)
    items.push(...some)
    pageToken = next
  } while (pageToken !== '' && items.length < limit)
  return items
}
