import { createHash } from 'node:crypto'
import type { Page } from '@onceflow/ports'
import { refuse } from './wire-values.ts'

export const pageSizeDefault = 50
export const pageSizeMax = 1000

export interface PageRequest {
  readonly pageSize: number
  readonly pageToken: string
}

/**
 * The page that a list asks for. `call` names the method and every argument but the size: a token
 * is good only for the call that gave it. It is checked against mistakes, not against forgery: who
 * may list may list everything.
 */
export function pageOf(request: PageRequest, call: readonly string[]): Page {
  if (request.pageSize < 0) refuse('page_size', 'page_size is negative')
  const size = request.pageSize === 0 ? pageSizeDefault : Math.min(request.pageSize, pageSizeMax)
  if (request.pageToken === '') return { size, after: undefined }
  const text = Buffer.from(request.pageToken, 'base64url').toString()
  const sum = text.slice(0, sumLength)
  const after = text.slice(sumLength)
  if (sum !== sumOf(after, call)) {
    refuse('page_token', 'page_token belongs to another call, or is damaged')
  }
  return { size, after }
}

export function pageToken(next: string | undefined, call: readonly string[]): string {
  return next === undefined ? '' : Buffer.from(sumOf(next, call) + next).toString('base64url')
}

const sumLength = 16
const sumOf = (after: string, call: readonly string[]): string =>
  createHash('sha256')
    .update(JSON.stringify([1, after, ...call]))
    .digest('base64url')
    .slice(0, sumLength)
