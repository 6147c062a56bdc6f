// Decides what a task does with a batch, a barrier, a commit, an abort.
export {}
