// The loop that takes batches and barriers, asks the dataflow reducer and performs its effects
// through ports.
export * from './debezium-decoder.ts'
export * from './fail-point-names.ts'
export * from './record-decoder.ts'
export * from './worker-loop.ts'
export * from './worker-options.ts'
