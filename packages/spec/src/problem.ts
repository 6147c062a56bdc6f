/** One thing that is wrong with a file or a setting. */
export interface Problem {
  /** `sinks[0].host`; '' for the whole text. */
  readonly path: string
  /** A lower-case sentence. */
  readonly text: string
  /** What was most likely meant, or what to do. */
  readonly suggestion?: string
  /** From 1, where the text came from a file. */
  readonly line?: number
}

export type PathPart = string | number

export function pathText(path: readonly PathPart[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
}

/** `sinks[0].host (line 12): is required. did you mean ...?` on one line. */
export function problemText(problem: Problem): string {
  const line = problem.line === undefined ? '' : ` (line ${problem.line})`
  const suggestion = problem.suggestion === undefined ? '' : `; ${problem.suggestion}`
  const head = problem.path === '' && line === '' ? '' : `${problem.path}${line}: `
  return `${head.trimStart()}${problem.text}${suggestion}`
}
