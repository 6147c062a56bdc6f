export const sleep = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms)
  })

const askEveryMs = 25

/**
 * Asks until there is an answer that is not undefined. Errors count as 'not yet'; the last one is
 * told when the time is over.
 */
export async function until<T>(
  what: string,
  withinMs: number,
  ask: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  const deadlineMs = performance.now() + withinMs
  let last: unknown
  for (;;) {
    try {
      const answer = await ask()
      if (answer !== undefined) return answer
      last = undefined
    } catch (error) {
      last = error
    }
    if (performance.now() > deadlineMs) {
      const cause = last instanceof Error ? ` (${last.message})` : ''
      throw new Error(`not within ${withinMs} ms: ${what}${cause}`)
    }
    await sleep(askEveryMs)
  }
}
