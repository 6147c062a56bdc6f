/** Small deterministic generator (xorshift128+ on 32-bit halves would do less well than this). */
export interface Random {
  /** 0 <= x < 1 */
  fraction(): number
  /** 0 <= x < bound, whole. */
  below(bound: number): number
  pick<T>(items: readonly T[]): T
}

/** The same seed and words give the same numbers. */
export function randomOf(seed: string): Random {
  let state = 0x9e3779b9
  for (const letter of seed) state = mix(state ^ letter.charCodeAt(0))
  const fraction = (): number => {
    state = (state + 0x6d2b79f5) | 0
    return (mix(state) >>> 0) / 2 ** 32
  }
  const below = (bound: number): number => Math.floor(fraction() * bound)
  return {
    fraction,
    below,
    pick: (items) => {
      const item = items[below(items.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
  }
}

function mix(value: number): number {
  let x = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d)
  x = Math.imul(x ^ (x >>> 12), 0x297a2d39)
  return x ^ (x >>> 15)
}
