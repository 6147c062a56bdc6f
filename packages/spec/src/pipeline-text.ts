import type { PipelineSpec } from '@onceflow/model'
import { type Document, LineCounter, parseAllDocuments } from 'yaml'
import { pipelineDocument } from './pipeline-document.ts'
import type { PathPart, Problem } from './problem.ts'
import { type PlacedProblem, schemaProblems } from './schema-problems.ts'
import { specOfDocument } from './spec-of-document.ts'
import { ruleProblems } from './spec-rules.ts'

export type SpecResult =
  | { readonly kind: 'ok'; readonly spec: PipelineSpec }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }

export type SpecsResult =
  | { readonly kind: 'ok'; readonly specs: readonly PipelineSpec[] }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] }

/** Text longer than this is no pipeline spec. */
export const textLengthMax = 512 * 1024

/** The only pipeline of a YAML (or JSON) text, or every problem it has. */
export function parsePipelineSpec(text: string): SpecResult {
  const result = parsePipelineSpecs(text)
  if (result.kind === 'invalid') return result
  const [spec, ...others] = result.specs
  if (spec !== undefined && others.length === 0) return { kind: 'ok', spec }
  return invalid([{ path: '', text: `holds ${result.specs.length} pipelines instead of one` }])
}

/** Every pipeline of a YAML text of one or more documents, or all problems of all of them. */
export function parsePipelineSpecs(text: string): SpecsResult {
  if (text.length > textLengthMax) {
    return invalid([{ path: '', text: `is longer than ${textLengthMax} characters` }])
  }
  const lines = new LineCounter()
  const parsed = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false })
  const documents = Array.from(parsed).filter(
    (one) => one.contents !== null || one.errors.length > 0,
  )
  if (documents.length === 0) return invalid([{ path: '', text: 'holds no pipeline' }])
  const results = documents.map((document) => specOfYaml(document, lines))
  const problems = results.flatMap((one) => (one.kind === 'invalid' ? one.problems : []))
  const specs = results.flatMap((one) => (one.kind === 'ok' ? [one.spec] : []))
  if (problems.length > 0) return invalid(problems)
  const twice = specs.find((one, index) => specs.findIndex(({ name }) => name === one.name) < index)
  if (twice === undefined) return { kind: 'ok', specs }
  return invalid([{ path: 'name', text: `${twice.name} is the name of another pipeline here` }])
}

const invalid = (problems: readonly Problem[]) => ({ kind: 'invalid' as const, problems })

function specOfYaml(document: Document, lines: LineCounter): SpecResult {
  if (document.errors.length > 0) {
    const problems = document.errors.map((error) => ({
      path: '',
      text: lowerFirst(error.message),
      line: lines.linePos(error.pos[0]).line,
    }))
    return invalid(problems)
  }
  const result = specOfValue(plainValue(document))
  if (result.kind === 'ok') return result
  const problems = result.problems.map((problem) => withLine(problem, document, lines))
  return invalid(problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0)))
}

/** Aliases that would unfold without end are cut off by the parser, which throws. */
function plainValue(document: Document): unknown {
  try {
    return document.toJS()
  } catch {
    return undefined
  }
}

const lowerFirst = (text: string): string => text.slice(0, 1).toLowerCase() + text.slice(1)

type PlacedResult =
  | { readonly kind: 'ok'; readonly spec: PipelineSpec }
  | { readonly kind: 'invalid'; readonly problems: readonly PlacedProblem[] }

/** The spec of a value that came from YAML or from JSON. */
export function specOfValue(value: unknown): PlacedResult {
  const shape = schemaProblems(pipelineDocument, value)
  if (shape.length > 0) return { kind: 'invalid', problems: shape }
  const document = pipelineDocument.parse(value)
  const problems = ruleProblems(document)
  if (problems.length > 0) return { kind: 'invalid', problems }
  return { kind: 'ok', spec: specOfDocument(document) }
}

function withLine(problem: PlacedProblem, document: Document, lines: LineCounter): Problem {
  const { parts, ...rest } = problem
  const offset = offsetOf(document, parts)
  return offset === undefined ? rest : { ...rest, line: lines.linePos(offset).line }
}

/** Where the node of a path begins, or the nearest node that is there. */
function offsetOf(document: Document, parts: readonly PathPart[]): number | undefined {
  for (let depth = parts.length; depth >= 0; depth -= 1) {
    const node = document.getIn(parts.slice(0, depth), true)
    if (node !== null && typeof node === 'object' && 'range' in node) {
      const range = node.range as readonly [number, number, number] | null | undefined
      if (range !== null && range !== undefined) return range[0]
    }
  }
  return undefined
}
