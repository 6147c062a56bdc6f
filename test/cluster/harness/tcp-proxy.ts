import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'

/**
 * pass: bytes go through. delay: each piece waits. drop: nothing goes through in either direction
 * and connections stay open (a half-open peer). half: only towards the server. cut: connections are
 * reset and new ones refused.
 */
export type ProxyMode =
  | { readonly kind: 'pass' }
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'drop' }
  | { readonly kind: 'half' }
  | { readonly kind: 'cut' }

/** A TCP proxy between two processes, whose fault can be changed at any moment. */
export class TcpProxy {
  readonly #target: () => number
  readonly #sockets = new Set<Socket>()
  #server: Server | undefined
  #mode: ProxyMode = { kind: 'pass' }
  /** The only client process that the mode is for; undefined: all. */
  #client: number | undefined
  #port = 0

  private constructor(target: () => number) {
    this.#target = target
  }

  static async open(target: () => number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target)
    const server = createServer({ allowHalfOpen: true }, (socket) => proxy.#accept(socket))
    proxy.#server = server
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    proxy.#port = address.port
    return proxy
  }

  get port(): number {
    return this.#port
  }

  /** client: process id; the mode is then for its connections alone. */
  set(mode: ProxyMode, client?: number): void {
    const was = this.#mode.kind
    // What a black hole swallowed is gone: a connection that lost bytes must not go on.
    const healed = mode.kind === 'pass' && (was === 'drop' || was === 'half')
    const sockets = [...this.#sockets]
    if (healed) for (const socket of sockets) if (this.#isMeant(socket)) socket.destroy()
    this.#mode = mode
    this.#client = client
    if (mode.kind !== 'cut') return
    for (const socket of sockets) if (this.#isMeant(socket)) socket.destroy()
  }

  #isMeant(socket: Socket): boolean {
    return this.#client === undefined || ownsPort(this.#client, socket.remotePort)
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise<void>((resolve) => {
      if (this.#server === undefined) resolve()
      else this.#server.close(() => resolve())
    })
  }

  #accept(client: Socket): void {
    if (this.#mode.kind === 'cut' && this.#isMeant(client)) {
      client.destroy()
      return
    }
    const server = connect({ host: '127.0.0.1', port: this.#target() })
    this.#sockets.add(client)
    for (const socket of [client, server]) {
      socket.setNoDelay(true)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        this.#sockets.delete(client)
        client.destroy()
        server.destroy()
      })
    }
    client.on('data', (bytes) => this.#carry(bytes, { client, to: server, way: 'up' }))
    server.on('data', (bytes) => this.#carry(bytes, { client, to: client, way: 'down' }))
    client.on('end', () => server.end())
    server.on('end', () => client.end())
  }

  #carry(
    bytes: Buffer,
    on: { readonly client: Socket; readonly to: Socket; readonly way: 'up' | 'down' },
  ): void {
    const { to } = on
    const mode = this.#mode
    const meant = mode.kind === 'pass' || this.#isMeant(on.client)
    switch (meant ? mode.kind : 'pass') {
      case 'pass':
        to.write(bytes)
        return
      case 'delay':
        setTimeout(
          () => {
            if (!to.destroyed) to.write(bytes)
          },
          mode.kind === 'delay' ? mode.ms : 0,
        )
        return
      case 'half':
        if (on.way === 'up') to.write(bytes)
        return
      case 'drop':
      case 'cut':
    }
  }
}

/** Whether the process has the local end of a connection, as the system tells. */
function ownsPort(pid: number, port: number | undefined): boolean {
  if (port === undefined) return false
  const hex = port.toString(16).toUpperCase().padStart(4, '0')
  try {
    const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n')
    const inodes = lines
      .map((line) => line.trim().split(/\s+/))
      .filter((words) => words[1]?.endsWith(`:${hex}`) === true)
      .map((words) => `socket:[${words[9] ?? ''}]`)
    return readdirSync(`/proc/${pid}/fd`).some((fd) =>
      inodes.includes(readlinkSync(`/proc/${pid}/fd/${fd}`)),
    )
  } catch {
    // The process is gone, or a descriptor was closed meanwhile.
    return false
  }
}
