export const patternLengthMax = 256

/**
 * Why a pattern cannot be taken, or undefined when it can. A pattern is matched against every topic
 * name of a cluster inside the worker's event loop, so that one which can take exponential time is
 * refused: what repeats may hold neither another repetition nor alternatives, and there are no
 * back-references and no look-around.
 */
export function patternProblem(pattern: string): string | undefined {
  if (pattern.length > patternLengthMax) return `is longer than ${patternLengthMax} characters`
  try {
    new RegExp(`^(?:${pattern})$`, 'u')
  } catch {
    return 'is not a regular expression'
  }
  const plain = pattern.replaceAll(/\\[^1-9k]/gu, 'x').replaceAll(/\[[^\]]*\]/g, 'x')
  if (/\\[1-9k]/.test(plain)) return 'has a back-reference, which can take too long to match'
  if (/\(\?<?[=!]/.test(plain)) return 'looks ahead or behind, which can take too long to match'
  if (repeatsRepetition(plain)) {
    return 'repeats a group that holds a repetition or alternatives, which can take too long'
  }
  return undefined
}

/** Whether a group with `*`, `+`, `{n,m}` or `|` inside is itself repeated more than once. */
function repeatsRepetition(plain: string): boolean {
  const groups: boolean[] = []
  for (let index = 0; index < plain.length; index += 1) {
    const letter = plain[index] ?? ''
    if (letter === '(') groups.push(false)
    else if (letter === ')') {
      const holds = groups.pop() ?? false
      const repeated = /^(?:[*+]|\{\d+(?:,\d*)?\})/.test(plain.slice(index + 1))
      if (holds && repeated) return true
      if (holds || repeated) markOuter(groups)
    } else if ('*+|{'.includes(letter)) markOuter(groups)
  }
  return false
}

function markOuter(groups: boolean[]): void {
  if (groups.length > 0) groups[groups.length - 1] = true
}
