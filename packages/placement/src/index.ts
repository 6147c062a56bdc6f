export * from './assign.ts'
export * from './registry.ts'
