// Decides what a task does with a batch, a barrier, a commit, an abort.
export * from './commit-permit.ts'
export * from './epoch-buffer.ts'
export * from './stamp-guard.ts'
export * from './task-end.ts'
export * from './task-reduce.ts'
export * from './task-report.ts'
export * from './task-state.ts'
