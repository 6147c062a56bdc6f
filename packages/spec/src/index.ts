// Turns the text of a pipeline specification into a checked value, or into all its problems at
// once; and the settings of a process into its configuration.
export { redacted } from './document-of-spec.ts'
export { pipelineJsonSchema } from './pipeline-schema.ts'
export {
  parsePipelineSpec,
  parsePipelineSpecs,
  type SpecResult,
  type SpecsResult,
  specOfValue,
} from './pipeline-text.ts'
export { type Problem, problemText } from './problem.ts'
export {
  type ConfigOf,
  type CoordinatorConfig,
  type DevConfig,
  type MetadataConfig,
  type ProcessConfigResult,
  parseProcessConfig,
  type WorkerConfig,
} from './process-config.ts'
export {
  flagOf,
  keysOf,
  type ProcessKind,
  type Setting,
  type SettingKey,
  settings,
  variableOf,
} from './process-settings.ts'
export type { LogLevel } from './setting-reader.ts'
export type { Origin, SettingSources } from './setting-values.ts'
export { redactSpec, specFromJson, specToJson, specVersion } from './stored-spec.ts'
export { durationMs, durationText, instantMs, instantText, sizeBytes, sizeText } from './units.ts'
export { jsonToYaml } from './yaml-text.ts'
