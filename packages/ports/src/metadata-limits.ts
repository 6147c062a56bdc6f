import { fail, invariant } from '@onceflow/model'
import type { TxnRequest } from './metadata-store.ts'

/** Bounds of one request; every adapter asserts them before anything leaves the process. */
export const metadataLimits = {
  comparesMax: 120,
  writesMax: 120,
  readsMax: 120,
  /** Of one value as UTF-8; etcd itself refuses requests above 1.5 MiB. */
  valueBytesMax: 1024 * 1024,
  /** Of all keys and values of one Txn as UTF-8; stays below etcd's 1.5 MiB with its framing. */
  requestBytesMax: 1400 * 1024,
} as const

/** Throws LIMIT_EXCEEDED for what is too large, and breaks an invariant for a key written twice. */
export function checkTxnRequest(request: TxnRequest): void {
  checkCount('compares', request.compares.length, metadataLimits.comparesMax)
  checkCount('writes', request.writes.length, metadataLimits.writesMax)
  checkCount('reads', request.elseReads.length, metadataLimits.readsMax)
  const written = new Set<string>()
  let bytes = 0
  for (const write of request.writes) {
    invariant(!written.has(write.key), `key ${write.key} is written twice in one Txn`)
    written.add(write.key)
    bytes += utf8Bytes(write.key)
    if (write.kind === 'put') bytes += checkValue(write.key, write.value)
  }
  for (const compare of request.compares) {
    if (compare.kind === 'value') bytes += checkValue(compare.key, compare.value)
  }
  if (bytes > metadataLimits.requestBytesMax) {
    const limit = `limit requestBytesMax is ${metadataLimits.requestBytesMax}`
    fail('LIMIT_EXCEEDED', { detail: `a metadata Txn of ${bytes} bytes, ${limit}` })
  }
}

function checkCount(what: string, count: number, countMax: number): void {
  if (count <= countMax) return
  fail('LIMIT_EXCEEDED', {
    detail: `a metadata Txn with ${count} ${what}, limit ${what}Max is ${countMax}`,
  })
}

function checkValue(key: string, value: string): number {
  const bytes = utf8Bytes(value)
  if (bytes > metadataLimits.valueBytesMax) {
    const limit = `limit valueBytesMax is ${metadataLimits.valueBytesMax}`
    fail('LIMIT_EXCEEDED', { detail: `value of ${key} has ${bytes} bytes, ${limit}` })
  }
  return bytes
}

/** Length of the text as UTF-8; a lone surrogate counts as the replacement character. */
function utf8Bytes(text: string): number {
  let bytes = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code < 0x80) bytes += 1
    else if (code < 0x800) bytes += 2
    else if (code >= 0xd800 && code < 0xdc00 && isLowSurrogate(text.charCodeAt(at + 1))) {
      bytes += 4
      at += 1
    } else bytes += 3
  }
  return bytes
}

const isLowSurrogate = (code: number): boolean => code >= 0xdc00 && code < 0xe000
