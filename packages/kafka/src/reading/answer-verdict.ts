import { type Failure, failure, type RecordPosition } from '@onceflow/model'
import { errorText } from '../wire/error-codes.ts'
import type { FetchPartitionAnswer } from '../wire/fetch.ts'

export type Verdict =
  /** Records, or none yet. */
  | { readonly kind: 'records' }
  /** The leader is another one, or there is none now: ask for metadata. */
  | { readonly kind: 'moved' }
  /** The broker does not know the topic: deleted, created anew, or not told to it yet. */
  | { readonly kind: 'unknown-topic' }
  | { readonly kind: 'out-of-range' }
  | { readonly kind: 'truncated'; readonly endOffset: bigint }
  /** Something passing: ask again after a while. */
  | { readonly kind: 'again' }
  /** It will not get better by asking again. */
  | { readonly kind: 'refused'; readonly failure: Failure }

/** What one partition's answer means. Nothing here ever resets a position. */
export function judgeAnswer(
  answer: Pick<FetchPartitionAnswer, 'errorCode' | 'diverging'>,
  position: RecordPosition,
): Verdict {
  switch (answer.errorCode) {
    case 0:
      if (answer.diverging === undefined) return { kind: 'records' }
      return { kind: 'truncated', endOffset: answer.diverging.endOffset }
    case 1:
      return { kind: 'out-of-range' }
    case 3:
    case 100:
    case 103:
      return { kind: 'unknown-topic' }
    case 5:
    case 6:
    case 8:
    case 9:
    case 56:
    case 74:
    case 75:
      return { kind: 'moved' }
    case 2:
      return refused('RECORD_CORRUPT', answer, position)
    case 29:
      return refused('SOURCE_AUTH', answer, position)
    case 76:
      return refused('SOURCE_UNSUPPORTED', answer, position)
    default:
      return { kind: 'again' }
  }
}

function refused(
  code: 'RECORD_CORRUPT' | 'SOURCE_AUTH' | 'SOURCE_UNSUPPORTED',
  answer: Pick<FetchPartitionAnswer, 'errorCode'>,
  position: RecordPosition,
): Verdict {
  const detail = `the broker answers ${errorText(answer.errorCode)}`
  return { kind: 'refused', failure: failure(code, { detail, position }) }
}
