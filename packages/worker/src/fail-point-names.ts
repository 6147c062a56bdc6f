// The places of a worker where a test may kill, freeze or delay the process. `reply-lost` means
// that the work is done and its message is not sent (or its answer is not believed).

export const workerFailPoints = {
  startBefore: 'worker.start-task.before',
  startAfter: 'worker.start-task.after',
  cutBefore: 'worker.P2.cut.before',
  cutAfter: 'worker.P2.cut.after',
  sealBefore: 'worker.P4.seal.before',
  sealAfter: 'worker.P4.seal.after',
  acknowledgeBefore: 'worker.P5.acknowledge.before',
  acknowledgeAfter: 'worker.P5.acknowledge.after',
  acknowledgeLost: 'worker.P5.acknowledge.reply-lost',
  announceReceived: 'worker.P7.announce.received',
  commitBefore: 'worker.P8.commit.before',
  commitAfter: 'worker.P8.commit.after',
  commitLost: 'worker.P8.commit.reply-lost',
  confirmBefore: 'worker.P9.confirm.before',
  confirmAfter: 'worker.P9.confirm.after',
  confirmLost: 'worker.P9.confirm.reply-lost',
  resolveCommitBefore: 'worker.R4.resolve-commit.before',
  resolveCommitAfter: 'worker.R4.resolve-commit.after',
  resolveCommitLost: 'worker.R4.resolve-commit.reply-lost',
  resolveAbortBefore: 'worker.R4.resolve-abort.before',
  resolveFenceBefore: 'worker.R4.resolve-fence.before',
  resolveAbortAfter: 'worker.R4.resolve-abort.after',
  resolveAbortLost: 'worker.R4.resolve-abort.reply-lost',
} as const

export type WorkerFailPoint = (typeof workerFailPoints)[keyof typeof workerFailPoints]
