import type { WriteMode } from './epoch-statements.ts'

const penaltyMax = 64

/**
 * Whether an epoch tries direct inserts. A task begins with upserts (after a restart rows may be
 * there already), and each epoch that had to be written twice makes it stay with them for longer.
 */
export class WriteModePolicy {
  #upserts = 1
  #penalty = 1

  next(): WriteMode {
    return this.#upserts > 0 ? 'upsert' : 'direct'
  }

  /** `asked` was tried; `used` is what the epoch was sealed with. */
  note(asked: WriteMode, used: WriteMode): void {
    if (asked === 'upsert') {
      this.#upserts -= 1
      return
    }
    if (used === 'direct') {
      this.#penalty = 1
      return
    }
    this.#penalty = Math.min(this.#penalty * 2, penaltyMax)
    this.#upserts = this.#penalty
  }
}
