// The loop that takes batches and barriers, asks the dataflow reducer and performs its effects
// through ports.
export {}
