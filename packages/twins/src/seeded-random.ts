import type { RandomSource } from '@onceflow/ports'

const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'

/** Random numbers that a seed repeats (splitmix32); for tests, never for secrets. */
export class SeededRandom implements RandomSource {
  readonly seed: number
  #state: number

  constructor(seed: number) {
    this.seed = seed
    this.#state = seed | 0
  }

  fraction(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0
    let mixed = this.#state ^ (this.#state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    mixed ^= mixed >>> 15
    return (mixed >>> 0) / 4_294_967_296
  }

  /** 0 up to but not including bound. */
  below(bound: number): number {
    return Math.floor(this.fraction() * bound)
  }

  token(length: number): string {
    let text = ''
    while (text.length < length) text += letters.charAt(this.below(letters.length))
    return text
  }
}
