import { failure, OnceflowError } from '@onceflow/model'
import type { CommonOptions } from '../session.ts'
import type { Terminal } from '../terminal.ts'
import { pipelinePath } from './pipeline.ts'

export interface AuditCommandOptions extends CommonOptions {
  readonly file?: string
  readonly sourceUrl?: string
  readonly exclusive?: boolean
}

export async function audit(
  _terminal: Terminal,
  _options: AuditCommandOptions,
  name: string,
): Promise<void> {
  const detail = `the audit of ${pipelinePath(name)} is not wired yet`
  throw new OnceflowError(failure('PRECONDITION_FAILED', { detail }))
}
