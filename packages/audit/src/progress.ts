import type { AuditProgress, AuditRequest } from './audit-request.ts'

export const say = (request: AuditRequest, phase: AuditProgress['phase'], text: string): void =>
  request.progress?.({ phase, text })
