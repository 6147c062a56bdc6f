/** Base64 (standard alphabet, padded) and hexadecimal, exact, without the host's library. */

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const notInAlphabet = 0xff
const values = new Uint8Array(256).fill(notInAlphabet)
for (let i = 0; i < alphabet.length; i++) values[alphabet.charCodeAt(i)] = i

const hexPairs: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, '0'),
)

/** The bytes, or undefined when the text is not canonical padded base64. */
export function base64Bytes(text: string): Uint8Array | undefined {
  const length = text.length
  if (length % 4 !== 0) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const bytes = new Uint8Array((length / 4) * 3 - padding)
  const letters = length - padding
  let at = 0
  let bits = 0
  let held = 0
  for (let i = 0; i < letters; i++) {
    const code = text.charCodeAt(i)
    const value = code < 256 ? (values[code] as number) : notInAlphabet
    if (value === notInAlphabet) return undefined
    held = ((held << 6) | value) & 0xffff
    bits += 6
    if (bits >= 8) {
      bits -= 8
      bytes[at++] = (held >> bits) & 0xff
    }
  }
  // Left-over bits that are not zero would be digits that we drop.
  if ((held & ((1 << bits) - 1)) !== 0) return undefined
  return bytes
}

const chunkBytes = 4096

export function hexOf(bytes: Uint8Array): string {
  if (bytes.length <= chunkBytes) return hexChunk(bytes)
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += chunkBytes) {
    parts.push(hexChunk(bytes.subarray(at, at + chunkBytes)))
  }
  return parts.join('')
}

function hexChunk(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += hexPairs[byte] as string
  return text
}

export const byteaOf = (bytes: Uint8Array): string => `\\x${hexOf(bytes)}`
