import { styleText } from 'node:util'

export interface Column<Row> {
  readonly title: string
  readonly of: (row: Row) => string
  readonly align?: 'right'
  /** Shown only with -o wide. */
  readonly wide?: 'yes'
}

export type Width = 'narrow' | 'wide'

/** Columns two spaces apart, without lines: easy to read, and to cut with other tools. */
export function tableText<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: Width,
): string {
  const shown = columns.filter((column) => width === 'wide' || column.wide !== 'yes')
  const cells = [
    shown.map(({ title }) => title),
    ...rows.map((row) => shown.map(({ of }) => printable(of(row)))),
  ]
  const widths = shown.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)))
  return cells
    .map((line) =>
      line
        .map((cell, index) => padded(cell, widths[index] ?? 0, shown[index]?.align ?? 'left'))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

function padded(text: string, width: number, align: 'left' | 'right'): string {
  return align === 'right' ? text.padStart(width) : text.padEnd(width)
}

/** Text from outside cannot move the cursor or colour the screen. */
export const printable = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed.
  text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '?')

const colors = {
  running: 'green',
  live: 'green',
  completed: 'green',
  starting: 'yellow',
  waiting: 'yellow',
  pausing: 'yellow',
  silent: 'yellow',
  draining: 'yellow',
  stopped: 'red',
  lost: 'red',
  deleting: 'red',
} as const

/** Words of state in colour; done on the whole text, so that columns stay aligned. */
export function colored(text: string): string {
  const pattern = new RegExp(`(?<=\\s|^)(?:${Object.keys(colors).join('|')})(?=\\s|$)`, 'gm')
  return text.replaceAll(pattern, (word) =>
    styleText(colors[word as keyof typeof colors], word, { validateStream: false }),
  )
}
