// Turns the text of a pipeline specification into a checked value, or into all its problems at
// once.
export { redacted } from './document-of-spec.ts'
export {
  parsePipelineSpec,
  parsePipelineSpecs,
  type SpecResult,
  type SpecsResult,
  specOfValue,
} from './pipeline-text.ts'
export { type Problem, problemText } from './problem.ts'
export { redactSpec, specFromJson, specToJson, specVersion } from './stored-spec.ts'
export { durationMs, durationText, instantMs, instantText, sizeBytes, sizeText } from './units.ts'
