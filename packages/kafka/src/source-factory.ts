import { invariant, type Secret, type SourceSpec } from '@onceflow/model'
import type { Clock, Journal, SourceLog, SourceLogFactory } from '@onceflow/ports'
import { connectionOptions } from './connection/connection-options.ts'
import { KafkaSource } from './kafka-source.ts'
import { defaultKafkaSettings, type KafkaSettings } from './source-settings.ts'

export interface KafkaFactoryOptions {
  readonly clock: Clock
  readonly journal: Journal
  /** Files and environment belong to the top layer, so it turns a secret into its text. */
  readonly resolveSecret: (secret: Secret) => string
  readonly settings?: Partial<KafkaSettings>
}

export class KafkaSourceFactory implements SourceLogFactory {
  readonly kind = 'kafka'
  private readonly options: KafkaFactoryOptions

  constructor(options: KafkaFactoryOptions) {
    this.options = options
  }

  /** Reads TLS files and the secret; connects only when something is asked of the source. */
  async open(spec: SourceSpec): Promise<SourceLog> {
    invariant(spec.kind === 'kafka', `the Kafka adapter does not open a ${spec.kind} source`)
    const { clock, journal, resolveSecret } = this.options
    const settings = { ...defaultKafkaSettings, ...this.options.settings }
    const common = await connectionOptions({ spec, settings, journal, resolveSecret })
    return new KafkaSource({ spec, common, settings, clock, journal })
  }
}
