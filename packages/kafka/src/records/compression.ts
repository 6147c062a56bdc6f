import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { decompressFrameSync } from 'lz4-napi'
import { uncompressSync } from 'snappy'

/** Why a batch cannot be decompressed; the caller knows where it lies. */
export class CompressionError extends Error {
  override readonly name = 'CompressionError'
  readonly reason: 'corrupt' | 'too large' | 'unknown codec'

  constructor(reason: CompressionError['reason'], detail: string) {
    super(detail)
    this.reason = reason
  }
}

const codecs = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 } as const

/** The records of a batch as they were before compression; never more than `bytesMax`. */
export function decompress(codec: number, body: Buffer, bytesMax: number): Buffer {
  try {
    switch (codec) {
      case codecs.none:
        return body
      case codecs.gzip:
        return gunzipSync(body, { maxOutputLength: bytesMax })
      case codecs.snappy:
        return unsnappy(body, bytesMax)
      case codecs.lz4:
        refuseAbove(lz4BytesMax(body), bytesMax)
        return decompressFrameSync(body)
      case codecs.zstd:
        return zstdDecompressSync(body, { maxOutputLength: bytesMax })
      default:
        throw new CompressionError('unknown codec', `compression codec ${codec} is not known`)
    }
  } catch (cause) {
    if (cause instanceof CompressionError) throw cause
    const code = cause instanceof Error && 'code' in cause ? cause.code : ''
    if (code === 'ERR_BUFFER_TOO_LARGE') refuseAbove(bytesMax + 1, bytesMax)
    throw new CompressionError('corrupt', cause instanceof Error ? cause.message : String(cause))
  }
}

function refuseAbove(bytes: number, bytesMax: number): void {
  if (bytes <= bytesMax) return
  throw new CompressionError('too large', `a batch is larger than ${bytesMax} bytes when unpacked`)
}

/** Java frames snappy by blocks (xerial): magic, two versions, then blocks with their lengths. */
const xerialMagic = Buffer.from([0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0])
const xerialHeaderBytes = 16

function unsnappy(body: Buffer, bytesMax: number): Buffer {
  const framed = body.length >= xerialHeaderBytes && body.subarray(0, 8).equals(xerialMagic)
  if (!framed) return unsnappyBlock(body, bytesMax)
  const blocks: Buffer[] = []
  let total = 0
  for (let at = xerialHeaderBytes; at < body.length; ) {
    const size = body.readInt32BE(at)
    const from = at + 4
    if (size <= 0 || from + size > body.length) {
      throw new CompressionError('corrupt', `a snappy block says that it is ${size} bytes long`)
    }
    const block = unsnappyBlock(body.subarray(from, from + size), bytesMax - total)
    total += block.length
    blocks.push(block)
    at = from + size
  }
  const [only] = blocks
  return blocks.length === 1 && only !== undefined ? only : Buffer.concat(blocks)
}

function unsnappyBlock(block: Buffer, bytesMax: number): Buffer {
  refuseAbove(snappyBytes(block), bytesMax)
  return uncompressSync(block, { asBuffer: true }) as Buffer
}

/** A snappy block begins with its unpacked length as a varint. */
function snappyBytes(block: Buffer): number {
  let size = 0
  for (let at = 0, factor = 1; at < 5; at++, factor *= 128) {
    const byte = block[at] ?? 0
    size += (byte & 127) * factor
    if (byte < 128) return size
  }
  throw new CompressionError('corrupt', 'a snappy block has no length')
}

const lz4Magic = 0x184d2204
const lz4BlockBytes = [0, 0, 0, 0, 65_536, 262_144, 1_048_576, 4_194_304]
const lz4Uncompressed = 0x8000_0000

/** An upper bound of the unpacked size, from the frame's block headers alone. */
function lz4BytesMax(frame: Buffer): number {
  if (frame.length < 7 || frame.readUInt32LE(0) !== lz4Magic) {
    throw new CompressionError('corrupt', 'an lz4 frame does not begin as one')
  }
  const flags = frame.readUInt8(4)
  const blockBytesMax = lz4BlockBytes[(frame.readUInt8(5) >> 4) & 7] ?? 0
  const checksumBytes = (flags & 0x10) === 0 ? 0 : 4
  let at = 7 + ((flags & 0x08) === 0 ? 0 : 8) + ((flags & 0x01) === 0 ? 0 : 4)
  let total = 0
  while (at + 4 <= frame.length) {
    const word = frame.readUInt32LE(at)
    if (word === 0) return total
    const size = word % lz4Uncompressed
    total += word >= lz4Uncompressed ? size : blockBytesMax
    at += 4 + size + checksumBytes
  }
  throw new CompressionError('corrupt', 'an lz4 frame has no end')
}
