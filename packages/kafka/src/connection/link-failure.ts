import { failure, OnceflowError } from '@onceflow/model'

const tlsCode = /^ERR_(?:TLS|SSL)|CERT|UNABLE_TO_(?:GET_ISSUER|VERIFY)|SELF_SIGNED/

/** What kafkajs or a socket threw, as a typed failure. Its text never holds a secret. */
export function linkFailure(
  thrown: unknown,
  place: { readonly what: string; readonly address: string },
): OnceflowError {
  if (thrown instanceof OnceflowError) return thrown
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  const detail = `${place.what}: ${place.address}: ${error.message}`
  return new OnceflowError(failure(codeOf(error), { detail }), { cause: error })
}

function codeOf(error: Error): 'SOURCE_AUTH' | 'SOURCE_UNREACHABLE' {
  if (error.name === 'KafkaJSSASLAuthenticationError') return 'SOURCE_AUTH'
  const text = 'code' in error && typeof error.code === 'string' ? error.code : ''
  return tlsCode.test(text) ? 'SOURCE_AUTH' : 'SOURCE_UNREACHABLE'
}
