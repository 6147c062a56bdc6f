import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js'
import type { AdminHandler, Journal } from '@onceflow/ports'
import type { RpcLimits } from './limits.ts'
import type { Leadership } from './worker-gate.ts'

export interface AdminOptions {
  readonly handler: AdminHandler
  readonly leadership: () => Leadership
  readonly limits: RpcLimits
  readonly journal: Journal
}

export interface ServedService {
  readonly definition: ServiceDefinition
  readonly implementation: UntypedServiceImplementation
}

export function adminServices(_options: AdminOptions): readonly ServedService[] {
  return []
}
