// The command line.
export { type ExitCode, exitCodes } from './exit-code.ts'
export { runCli } from './program.ts'
export type { Terminal } from './terminal.ts'
