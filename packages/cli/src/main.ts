#!/usr/bin/env node
import { runCli } from './program.ts'
import { processTerminal } from './terminal.ts'

// Whatever a library still holds open, a command that is done is done.
process.exit(await runCli(process.argv.slice(2), processTerminal()))
