import { createServer, connect as dial, type Server, type Socket } from 'node:net'

/** Long enough for etcd to have stored what it was sent. */
const settleMs = 300

/** A TCP proxy that can deliver a request and lose its answer. */
export class AnswerCutter {
  readonly port: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #armed: 'yes' | 'no' = 'no'

  private constructor(server: Server, port: number) {
    this.#server = server
    this.port = port
  }

  static async start(targetPort: number): Promise<AnswerCutter> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    if (address === null || typeof address === 'string') throw new Error('a port was expected')
    const cutter = new AnswerCutter(server, address.port)
    server.on('connection', (client) => cutter.#carry(client, targetPort))
    return cutter
  }

  /** The next bytes of a client are delivered; what is answered is lost, with the connection. */
  arm(): void {
    this.#armed = 'yes'
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise<void>((resolve) => this.#server.close(() => resolve()))
  }

  #carry(client: Socket, targetPort: number): void {
    const target = dial(targetPort, '127.0.0.1')
    let cutting: 'yes' | 'no' = 'no'
    const cut = (): void => {
      client.destroy()
      target.destroy()
    }
    for (const socket of [client, target]) {
      this.#sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', cut)
      socket.on('close', () => {
        this.#sockets.delete(socket)
        cut()
      })
    }
    client.on('data', (chunk) => {
      target.write(chunk)
      if (this.#armed === 'no') return
      this.#armed = 'no'
      cutting = 'yes'
      setTimeout(cut, settleMs)
    })
    target.on('data', (chunk) => {
      if (cutting === 'no') client.write(chunk)
    })
  }
}
