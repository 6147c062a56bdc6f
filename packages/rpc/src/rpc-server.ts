import {
  logVerbosity,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  setLogVerbosity,
} from '@grpc/grpc-js'
import { ReflectionService } from '@grpc/reflection'
import { fail } from '@onceflow/model'
import type { AdminHandler, Clock, Journal, WorkerGate } from '@onceflow/ports'
import { HealthImplementation } from 'grpc-health-check'
import { adminServices } from './admin-server.ts'
import { checkBind, hostAndPort } from './bind-address.ts'
import { controlService } from './control-service.ts'
import { type RpcLimits, rpcLimits } from './limits.ts'
import { packageDefinition } from './messages.ts'
import { type Leadership, StreamGate } from './worker-gate.ts'

// One port of a coordinator: control stream, admin API, health and reflection.
//
// Stop order: health says NOT_SERVING, every control stream is ended (the coordinator has said
// before what it had to say), the server waits for open calls up to shutdownMs, then cuts them off.

export interface RpcServerOptions {
  /** host:port; port 0 takes a free one. */
  readonly listen: string
  /** host:port that others are told; undefined: where the server listens. */
  readonly advertise: string | undefined
  readonly insecureBind: 'yes' | 'no'
  /** Answers the admin API while this coordinator leads; undefined: there is none. */
  readonly admin: AdminHandler | undefined
  readonly clock: Clock
  readonly journal: Journal
  readonly limits?: Partial<RpcLimits>
}

// What gRPC would print arrives as a failure of ours as well, and stderr belongs to the process.
setLogVerbosity(logVerbosity.NONE)

const servicesOfLeader = [
  'PipelineService',
  'CheckpointService',
  'TransactionService',
  'WorkerService',
  'ClusterService',
].map((name) => `onceflow.v1.${name}`)

export class RpcServer {
  /** redirect and accept decide for the admin API as well. */
  readonly gate: WorkerGate
  readonly #gate: StreamGate
  readonly #options: RpcServerOptions
  readonly #limits: RpcLimits
  readonly #server: Server
  readonly #health = new HealthImplementation({ '': 'NOT_SERVING' })
  #port = 0

  constructor(options: RpcServerOptions) {
    this.#options = options
    this.#limits = { ...rpcLimits, ...options.limits }
    this.#gate = new StreamGate({
      clock: options.clock,
      limits: this.#limits,
      advertised: () => this.address,
      onLeadership: (leadership) => this.#showHealth(leadership),
    })
    this.gate = this.#gate
    this.#server = new Server(serverOptions(this.#limits))
    this.#addServices()
  }

  /** What others are told: host:port. */
  get address(): string {
    return this.#options.advertise ?? `${addressHost(this.#options.listen)}:${this.#port}`
  }

  /** Throws BIND_REFUSED, CONFIG_INVALID or, where the port is taken, PRECONDITION_FAILED. */
  async start(): Promise<void> {
    const { listen, insecureBind } = this.#options
    checkBind(listen, insecureBind)
    const { promise, resolve } = Promise.withResolvers<{ error: Error | null; port: number }>()
    this.#server.bindAsync(listen, ServerCredentials.createInsecure(), (error, port) =>
      resolve({ error, port }),
    )
    const { error, port } = await promise
    if (error !== null) {
      const hint = 'is another process listening there?'
      fail('PRECONDITION_FAILED', { detail: `cannot listen on ${listen}: ${error.message}`, hint })
    }
    this.#port = port
    this.#health.setStatus('', 'SERVING')
    this.#health.setStatus('onceflow.v1.ControlService', 'SERVING')
    this.#showHealth(this.#gate.leadership)
  }

  async stop(): Promise<void> {
    this.#gate.endAll('the coordinator stops')
    for (const service of ['', 'onceflow.v1.ControlService']) {
      this.#health.setStatus(service, 'NOT_SERVING')
    }
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = this.#options.clock.after(this.#limits.shutdownMs, () => {
      this.#server.forceShutdown()
      resolve()
    })
    this.#server.tryShutdown(() => resolve())
    await promise
    timer.cancel()
  }

  #showHealth(leadership: Leadership): void {
    const word = leadership.kind === 'leading' ? 'SERVING' : 'NOT_SERVING'
    for (const service of servicesOfLeader) this.#health.setStatus(service, word)
  }

  #addServices(): void {
    const definition = controlService() as unknown as ServiceDefinition
    this.#server.addService(definition, this.#gate.implementation)
    const { admin, clock, journal } = this.#options
    if (admin !== undefined) {
      const services = adminServices({
        handler: admin,
        leadership: () => this.#gate.leadership,
        limits: this.#limits,
        clock,
        journal,
      })
      for (const one of services) this.#server.addService(one.definition, one.implementation)
    }
    this.#health.addToServer(this.#server)
    new ReflectionService(packageDefinition()).addToServer(this.#server)
  }
}

function addressHost(listen: string): string {
  const { host } = hostAndPort(listen)
  return host.includes(':') ? `[${host}]` : host
}

const serverOptions = (limits: RpcLimits) => ({
  'grpc.enable_channelz': 0,
  'grpc.keepalive_time_ms': limits.keepaliveMs,
  'grpc.keepalive_timeout_ms': limits.keepaliveTimeoutMs,
  'grpc.max_receive_message_length': limits.messageBytesMax,
  'grpc.max_concurrent_streams': 128,
})
