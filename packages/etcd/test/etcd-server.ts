import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A free port of the loopback interface; another process may take it before it is used. */
export async function freePort(): Promise<number> {
  const server: Server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise<void>((resolve) => server.close(() => resolve()))
  if (address === null || typeof address === 'string') throw new Error('a port was expected')
  return address.port
}

interface MemberOptions {
  readonly name: string
  readonly port: number
  readonly peerPort: number
  /** `name=url` of every member, with commas between. */
  readonly cluster: string
  readonly extra: readonly string[]
}

/** One etcd member on free ports in a folder of its own. */
export class EtcdServer {
  readonly port: number
  readonly #options: MemberOptions
  readonly #folder: string
  readonly #extra: readonly string[]
  #process: ChildProcess | undefined
  #output = ''

  private constructor(options: MemberOptions) {
    this.port = options.port
    this.#options = options
    this.#extra = options.extra
    this.#folder = mkdtempSync(join(tmpdir(), 'onceflow-etcd-'))
  }

  static async start(extra: readonly string[] = []): Promise<EtcdServer> {
    const [server] = await EtcdServer.startCluster(['one'], extra)
    if (server === undefined) throw new Error('one member was started')
    return server
  }

  static async startCluster(
    names: readonly string[],
    extra: readonly string[] = [],
  ): Promise<EtcdServer[]> {
    const ports: { name: string; port: number; peerPort: number }[] = []
    for (const name of names) {
      ports.push({ name, port: await freePort(), peerPort: await freePort() })
    }
    const cluster = ports.map(({ name, peerPort }) => `${name}=http://127.0.0.1:${peerPort}`)
    const servers = ports.map((each) => {
      return new EtcdServer({ ...each, cluster: cluster.join(','), extra })
    })
    await Promise.all(servers.map((server) => server.restart()))
    return servers
  }

  get endpoint(): string {
    return `${this.#scheme()}://localhost:${this.port}`
  }

  async restart(): Promise<void> {
    const { name, peerPort, cluster } = this.#options
    const peer = `http://127.0.0.1:${peerPort}`
    const client = `${this.#scheme()}://127.0.0.1:${this.port}`
    const child = spawn(
      'etcd',
      [
        ...['--name', name, '--data-dir', join(this.#folder, 'data')],
        ...['--listen-client-urls', client, '--advertise-client-urls', client],
        ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
        ...['--initial-cluster', cluster, '--logger', 'zap'],
        ...this.#extra,
      ],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    this.#process = child
    this.#output = ''
    const keep = (chunk: Buffer): void => {
      this.#output += chunk.toString()
    }
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.on('error', (error) => keep(Buffer.from(`${error.message}: is etcd-server installed?`)))
    await this.#serving(child)
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#process?.kill(name)
  }

  async kill(): Promise<void> {
    const child = this.#process
    this.#process = undefined
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGKILL')
    await gone
  }

  async stop(): Promise<void> {
    await this.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #serving(child: ChildProcess): Promise<void> {
    for (let waitedMs = 0; waitedMs < 30_000; waitedMs += 50) {
      if (/serving (?:insecure )?client (?:requests|traffic)/.test(this.#output)) return
      if (child.exitCode !== null) break
      await sleep(50)
    }
    throw new Error(`etcd did not start: ${this.#output.slice(-2_000)}`)
  }

  #scheme(): 'http' | 'https' {
    return this.#extra.includes('--cert-file') ? 'https' : 'http'
  }
}
