/** The only part of the host's library that this room uses: TextDecoder is in every runtime. */
interface HostTextDecoder {
  decode(bytes: Uint8Array): string
}

declare const TextDecoder: new (
  label: 'utf-8',
  options: { readonly fatal: true; readonly ignoreBOM: true },
) => HostTextDecoder

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of a part of the bytes, or undefined when it is not UTF-8. */
export function textBetween(bytes: Uint8Array, start: number, end: number): string | undefined {
  try {
    return strict.decode(bytes.subarray(start, end))
  } catch {
    return undefined
  }
}
