/** MD5 (RFC 1321), only for the name-based UUID that stands for an unavailable uuid in an array. */

const shifts = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21] as const
const sines = Array.from({ length: 64 }, (_, i) => Math.floor(Math.abs(Math.sin(i + 1)) * 2 ** 32))

function paddedWords(message: Uint8Array): DataView {
  const blocks = Math.ceil((message.length + 9) / 64)
  const padded = new Uint8Array(blocks * 64)
  padded.set(message)
  padded[message.length] = 0x80
  const words = new DataView(padded.buffer)
  words.setUint32(padded.length - 8, message.length * 8, true)
  return words
}

function mixed(round: number, [b, c, d]: readonly [number, number, number]): number {
  if (round === 0) return (b & c) | (~b & d)
  if (round === 1) return (d & b) | (~d & c)
  return round === 2 ? b ^ c ^ d : c ^ (b | ~d)
}

function wordIndex(round: number, i: number): number {
  if (round === 0) return i
  if (round === 1) return (5 * i + 1) % 16
  return round === 2 ? (3 * i + 5) % 16 : (7 * i) % 16
}

export function md5(message: Uint8Array): Uint8Array {
  const words = paddedWords(message)
  const state = Uint32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476)
  for (let block = 0; block < words.byteLength; block += 64) {
    let [a, b, c, d] = state as unknown as [number, number, number, number]
    for (let i = 0; i < 64; i++) {
      const round = i >> 4
      const word = words.getUint32(block + wordIndex(round, i) * 4, true)
      const sum = (a + mixed(round, [b, c, d]) + (sines[i] as number) + word) | 0
      const shift = shifts[round * 4 + (i & 3)] as number
      a = d
      d = c
      c = b
      b = (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0
    }
    state.set([a, b, c, d].map((part, i) => part + (state[i] as number)))
  }
  return new Uint8Array(state.buffer)
}
