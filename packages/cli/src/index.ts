// The command line.
export {}
