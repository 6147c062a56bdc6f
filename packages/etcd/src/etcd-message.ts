import { invariant, type Revision, revision } from '@onceflow/model'
import type {
  Compare,
  RangeRequest,
  StoredValue,
  TxnOutcome,
  TxnRequest,
  Write,
} from '@onceflow/ports'
import type {
  ICompare,
  IKeyValue,
  IRangeRequest,
  IRequestOp,
  IResponseHeader,
  ITxnRequest,
  ITxnResponse,
} from 'etcd3'

/** Our keys and values as etcd's messages: a key gets the prefix, and loses it on the way back. */
export class EtcdMessages {
  readonly #prefix: Buffer

  constructor(prefix: string) {
    this.#prefix = Buffer.from(prefix)
  }

  txnRequest(request: TxnRequest): ITxnRequest {
    return {
      compare: request.compares.map((compare) => this.#compare(compare)),
      success: request.writes.map((write) => this.#write(write)),
      failure: request.elseReads.map((key) => ({ request_range: { key: this.#key(key) } })),
    }
  }

  txnOutcome(request: TxnRequest, response: ITxnResponse): TxnOutcome {
    const at = revisionOf(response.header)
    if (response.succeeded) return { kind: 'applied', revision: at }
    const reads = request.elseReads.map((key, index) => {
      const kvs = response.responses[index]?.response_range.kvs
      invariant(kvs !== undefined, `etcd answered the read of ${key}`)
      const [found] = kvs
      return found === undefined ? undefined : this.storedValue(found)
    })
    return { kind: 'refused', revision: at, reads }
  }

  rangeRequest(request: RangeRequest): IRangeRequest {
    const prefix = this.#key(request.prefix)
    const { start, end } = this.#bounds(request, prefix)
    return {
      key: start,
      range_end: end,
      limit: request.limit,
      ...(request.keysOnly === 'yes' ? { keys_only: true } : {}),
      ...(request.order === 'descending' ? { sort_order: 'Descend', sort_target: 'Key' } : {}),
    }
  }

  /** The keys under the prefix, as a half-open interval. */
  prefixInterval(prefix: string): { readonly key: Buffer; readonly range_end: Buffer } {
    const key = this.#key(prefix)
    return { key, range_end: afterPrefix(key) }
  }

  storedValue(found: IKeyValue): StoredValue {
    invariant(found.key.subarray(0, this.#prefix.length).equals(this.#prefix), 'a key of ours')
    return {
      key: found.key.subarray(this.#prefix.length).toString(),
      value: found.value.toString(),
      created: revision(BigInt(found.create_revision)),
      modified: revision(BigInt(found.mod_revision)),
    }
  }

  #key(key: string): Buffer {
    return Buffer.concat([this.#prefix, Buffer.from(key)])
  }

  #bounds(request: RangeRequest, prefix: Buffer): { start: Buffer; end: Buffer } {
    let start = prefix
    let end = afterPrefix(prefix)
    if (request.after !== undefined) {
      const next = Buffer.concat([this.#key(request.after), Buffer.from([0])])
      if (Buffer.compare(next, start) > 0) start = next
    }
    if (request.before !== undefined) {
      const before = this.#key(request.before)
      if (Buffer.compare(before, end) < 0) end = before
    }
    return { start, end }
  }

  #compare(compare: Compare): ICompare {
    const key = this.#key(compare.key)
    switch (compare.kind) {
      case 'absent':
        return { key, result: 'Equal', target: 'Create', create_revision: '0' }
      case 'created':
        return { key, result: 'Equal', target: 'Create', create_revision: `${compare.revision}` }
      case 'modified':
        return { key, result: 'Equal', target: 'Mod', mod_revision: `${compare.revision}` }
      case 'value':
        return { key, result: 'Equal', target: 'Value', value: Buffer.from(compare.value) }
      default:
        return compare satisfies never
    }
  }

  #write(write: Write): IRequestOp {
    const key = this.#key(write.key)
    if (write.kind === 'delete') return { request_delete_range: { key } }
    const put = { key, value: Buffer.from(write.value) }
    const { lease } = write
    return { request_put: lease === undefined ? put : { ...put, lease } }
  }
}

export const revisionOf = (header: IResponseHeader): Revision => revision(BigInt(header.revision))

/** The first key after all that begin with the prefix. */
function afterPrefix(prefix: Buffer): Buffer {
  const last = prefix.at(-1)
  // The prefix of a store ends with a slash and keys are UTF-8, so no byte is 0xff.
  invariant(last !== undefined && last < 0xff, 'a prefix of keys ends with a byte below 0xff')
  const end = Buffer.from(prefix)
  end[end.length - 1] = last + 1
  return end
}
