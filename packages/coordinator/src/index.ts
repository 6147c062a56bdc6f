// The loop that takes events, asks the checkpoint and placement reducers and performs their
// effects through ports.
export {}
