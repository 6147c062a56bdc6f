export { createDecoder, type Decoder, type DecoderOptions } from './decoder.ts'
export type {
  DecodableRecord,
  Decoded,
  Failed,
  Ignored,
  NeedsTable,
  RecordPlace,
} from './record.ts'
