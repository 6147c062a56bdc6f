export { type KafkaFactoryOptions, KafkaSourceFactory } from './source-factory.ts'
export { defaultKafkaSettings, type KafkaSettings } from './source-settings.ts'
