import { type Cell, fail } from '@onceflow/model'
import type { Binding, Bindings, KeyIdentity } from './binding.ts'
import type { WireKey } from './declared-shape.ts'
import { JsonReader, membersOfObject, unreadable } from './json-reader.ts'
import {
  PayloadReader,
  type PrefixHint,
  type SchemaCache,
  type SchemaEntry,
} from './payload-reader.ts'
import { readRow } from './row-reader.ts'
import { textBetween } from './text-decoding.ts'

/** What is kept for a topic between its records. */
export interface TopicHints {
  value: PrefixHint | undefined
  key: PrefixHint | undefined
}

const keyMissing = (detail: string): never => fail('KEY_MISSING', { detail })

/** Reads message keys: which columns they have, and their values as cells. */
export class KeyReader {
  readonly #payload: PayloadReader
  readonly #bindings: Bindings
  readonly #reader = new JsonReader()

  constructor(schemas: SchemaCache, bindings: Bindings) {
    this.#payload = new PayloadReader(schemas)
    this.#bindings = bindings
  }

  #open(key: Uint8Array | null, hints: TopicHints): SchemaEntry | undefined {
    if (key === null) return keyMissing('the record has no key')
    const kind = this.#payload.open(key, hints.key)
    hints.key = this.#payload.hint
    if (kind !== 'object') return keyMissing('the record has a key without columns')
    return this.#payload.schema
  }

  #text(key: Uint8Array): string {
    const text = textBetween(key, this.#payload.start, this.#payload.end)
    return text ?? unreadable('the key is not UTF-8')
  }

  /** What tells keys of one structure from others; the names only where no schema does. */
  identity(key: Uint8Array | null, hints: TopicHints): KeyIdentity {
    if (key === null) return ''
    const entry = this.#open(key, hints)
    return entry ?? JSON.stringify([...membersOfObject(this.#text(key)).keys()])
  }

  /** The columns of the key that identity() has seen. */
  wireKey(identity: KeyIdentity): WireKey {
    if (typeof identity !== 'string') {
      const { schema } = identity
      return { names: schema.fields.map((field) => field.name), schema }
    }
    const names: unknown = identity === '' ? [] : JSON.parse(identity)
    return { names: Array.isArray(names) ? names.map(String) : [], schema: undefined }
  }

  /** The key's cells, aligned with shape.keyColumns; each of them has a value. */
  cells(key: Uint8Array | null, binding: Binding, hints: TopicHints): readonly Cell[] {
    const { keyColumns, columns } = binding.shape
    if (keyColumns.length === 0) return keyMissing('the target table has no key')
    const entry = this.#open(key, hints)
    const plan = this.#bindings.keyPlan(binding, entry)
    const text = key === null ? '' : this.#text(key)
    const row = readRow(this.#reader.open(text), {
      plan,
      filter: { kind: 'all' },
      reading: 'values',
    })
    return keyColumns.map((index) => {
      const cell = row[index]
      if (typeof cell === 'string') return cell
      return fail('KEY_MISSING', {
        detail: 'the message key has no value for a key column of the target table',
        field: columns[index]?.name ?? '',
      })
    })
  }

  /** Fills key cells that the row does not have; a row without a key value cannot be applied. */
  complete(cells: Cell[], binding: Binding, from: Keyed): void {
    const { keyColumns } = binding.shape
    if (keyColumns.every((index) => typeof cells[index] === 'string')) return
    const key = this.cells(from.record.key, binding, from.hints)
    for (const [ordinal, index] of keyColumns.entries()) {
      if (typeof cells[index] !== 'string') cells[index] = key[ordinal]
    }
  }
}

export interface Keyed {
  readonly record: { readonly key: Uint8Array | null }
  readonly hints: TopicHints
}
