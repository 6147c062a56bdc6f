import type { Json } from '@onceflow/model'
import { UsageError } from './exit-code.ts'
import { type Column, colored, tableText } from './table.ts'
import { mayColor, type Terminal } from './terminal.ts'

export const formats = ['table', 'wide', 'json', 'yaml', 'name'] as const
export type Format = (typeof formats)[number]

export function formatOf(text: string): Format {
  const format = formats.find((one) => one === text)
  if (format !== undefined) return format
  throw new UsageError(`-o ${text} is not known`, `one of: ${formats.join(', ')}`)
}

/** What a command shows: resources as the API gives them, and how a person sees them. */
export interface Shown<Row> {
  readonly json: unknown
  readonly rows: readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly nameOf: (row: Row) => string
}

export async function show<Row>(
  terminal: Terminal,
  format: Format,
  shown: Shown<Row>,
): Promise<void> {
  const text = await textOf(format, shown)
  const isForPeople = format === 'table' || format === 'wide'
  if (text !== '') terminal.data(isForPeople && mayColor(terminal) ? colored(text) : text)
}

async function textOf<Row>(format: Format, shown: Shown<Row>): Promise<string> {
  switch (format) {
    case 'json':
      return jsonText(shown.json)
    case 'yaml': {
      const { jsonToYaml } = await import('@onceflow/spec')
      return jsonToYaml(JSON.parse(jsonText(shown.json)) as Json).trimEnd()
    }
    case 'name':
      return shown.rows.map(shown.nameOf).join('\n')
    case 'table':
      return tableText(shown.columns, shown.rows, 'narrow')
    case 'wide':
      return tableText(shown.columns, shown.rows, 'wide')
  }
}

/** 64-bit numbers are text, as proto3 JSON has them. */
export const jsonText = (json: unknown): string => JSON.stringify(json, exact, 2)

const exact = (_key: string, value: unknown): unknown =>
  typeof value === 'bigint' ? value.toString() : value
