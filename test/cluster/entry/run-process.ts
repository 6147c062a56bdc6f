// Starts a coordinator or a worker as a process of its own, from the sources, configured by
// ONCEFLOW_* variables alone. SIGTERM is a clean stop (R14).

import { parseProcessConfig } from '@onceflow/spec'
import { startCoordinator, startWorker } from 'onceflow'

const runtime = {
  version: '0.0.0-test',
  env: process.env,
  failPoints: process.env['ONCEFLOW_FAILPOINTS'] ?? '',
}
const sources = { flags: {}, environment: process.env, file: undefined }

const running = await start(process.argv[2] ?? '')
let stopping = false
process.on('SIGTERM', () => {
  if (stopping) return
  stopping = true
  void running.stop().then(
    () => process.exit(0),
    (error: unknown) => {
      console.error('stop failed', error)
      process.exit(1)
    },
  )
})

async function start(role: string): Promise<{ stop(): Promise<void> }> {
  if (role === 'coordinator') {
    const parsed = parseProcessConfig('coordinator', sources)
    if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems))
    return startCoordinator(parsed.config, runtime)
  }
  const parsed = parseProcessConfig('worker', sources)
  if (parsed.kind === 'invalid') throw new Error(JSON.stringify(parsed.problems))
  return startWorker(parsed.config, runtime)
}
