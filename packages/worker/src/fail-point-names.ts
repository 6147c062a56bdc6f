// The places of a worker where a test may kill, freeze or delay the process. `reply-lost` means that
// the work is done and its message is not sent (or its answer is not believed).

export const workerFailPoints = {
  startBefore: 'start-task.before',
  startAfter: 'start-task.after',
  cutBefore: 'P2.cut.before',
  cutAfter: 'P2.cut.after',
  sealBefore: 'P4.seal.before',
  sealAfter: 'P4.seal.after',
  acknowledgeBefore: 'P5.acknowledge.before',
  acknowledgeAfter: 'P5.acknowledge.after',
  acknowledgeLost: 'P5.acknowledge.reply-lost',
  announceReceived: 'P7.announce.received',
  commitBefore: 'P8.commit.before',
  commitAfter: 'P8.commit.after',
  commitLost: 'P8.commit.reply-lost',
  confirmBefore: 'P9.confirm.before',
  confirmAfter: 'P9.confirm.after',
  confirmLost: 'P9.confirm.reply-lost',
  resolveCommitBefore: 'R4.resolve-commit.before',
  resolveCommitAfter: 'R4.resolve-commit.after',
  resolveCommitLost: 'R4.resolve-commit.reply-lost',
  resolveAbortBefore: 'R4.resolve-abort.before',
  resolveFenceBefore: 'R4.resolve-fence.before',
  resolveAbortAfter: 'R4.resolve-abort.after',
  resolveAbortLost: 'R4.resolve-abort.reply-lost',
} as const

export type WorkerFailPoint = (typeof workerFailPoints)[keyof typeof workerFailPoints]
