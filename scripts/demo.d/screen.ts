const startMs = performance.now()

/** One line of progress with the time since the demo began. */
export function say(text: string): void {
  const seconds = ((performance.now() - startMs) / 1_000).toFixed(1).padStart(6)
  process.stdout.write(`${seconds} s  ${text}\n`)
}

export function title(text: string): void {
  process.stdout.write(`\n${text}\n${'-'.repeat(text.length)}\n`)
}
