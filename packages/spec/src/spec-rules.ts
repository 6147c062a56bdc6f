import { redacted } from './document-of-spec.ts'
import type {
  PipelineDocument,
  SecretDocument,
  SinkDocument,
  SourceDocument,
} from './pipeline-document.ts'
import type { PathPart } from './problem.ts'
import { type PlacedProblem, placed } from './schema-problems.ts'
import { defaults, refOf } from './spec-of-document.ts'
import { patternProblem } from './topic-pattern.ts'
import { durationMs, durationText, instantMs, sizeBytes } from './units.ts'

const limits = {
  intervalMsMin: 10,
  intervalMsMax: 3_600_000,
  timeoutMsMax: 3_600_000,
  bufferBytesMin: 1024 * 1024,
} as const

/** What needs more than one field, or more than a pattern: of a document whose shape is right. */
export function ruleProblems(document: PipelineDocument): readonly PlacedProblem[] {
  return [
    ...topicProblems(document.source),
    ...connectionProblems(document.source),
    ...tableProblems(document),
    ...sinkProblems(document),
    ...checkpointProblems(document),
  ]
}

const topicName = /^[A-Za-z0-9._-]{1,249}$/

function topicProblems(source: SourceDocument): PlacedProblem[] {
  const { topics, topic_pattern: pattern, start } = source
  const problems: PlacedProblem[] = []
  if ((topics === undefined) === (pattern === undefined)) {
    problems.push(placed(['source'], 'needs exactly one of topics and topic_pattern'))
  }
  for (const [index, topic] of (topics ?? []).entries()) {
    const parts = ['source', 'topics', index]
    if (!topicName.test(topic)) problems.push(placed(parts, 'is not a topic name'))
    if ((topics ?? []).indexOf(topic) < index) problems.push(placed(parts, 'is named twice'))
  }
  const refused = pattern === undefined ? undefined : patternProblem(pattern)
  if (refused !== undefined) problems.push(placed(['source', 'topic_pattern'], refused))
  const isTime = start !== undefined && start !== 'earliest' && start !== 'latest'
  if (isTime && instantMs(start) === undefined) {
    problems.push(placed(['source', 'start'], 'is not a date that exists'))
  }
  return problems
}

const brokerAddress = /^(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})$/

function connectionProblems(source: SourceDocument): PlacedProblem[] {
  if (source.kind !== 'kafka') return []
  const problems = source.brokers.flatMap((broker, index) => {
    const port = Number(brokerAddress.exec(broker)?.[1] ?? 0)
    const isAddress = port > 0 && port < 65_536
    return isAddress ? [] : [placed(['source', 'brokers', index], 'must be host:port')]
  })
  const { tls, sasl } = source
  if (tls !== undefined && (tls.cert_file === undefined) !== (tls.key_file === undefined)) {
    problems.push(placed(['source', 'tls'], 'needs cert_file and key_file, or neither'))
  }
  if (sasl === undefined) return problems
  return [...problems, ...secretProblems(sasl, ['source', 'sasl'], 'needed')]
}

const secretKeys = ['password', 'password_file', 'password_env'] as const

function secretProblems(
  given: SecretDocument,
  parts: readonly PathPart[],
  need: 'needed' | 'optional',
): PlacedProblem[] {
  const keys = secretKeys.filter((key) => given[key] !== undefined)
  const list = secretKeys.join(', ')
  if (keys.length > 1) return [placed(parts, `has more than one of ${list}`)]
  if (keys.length === 0) return need === 'needed' ? [placed(parts, `needs one of ${list}`)] : []
  if (given.password !== redacted) return []
  const suggestion = 'write the secret, or better the file that holds it'
  return [placed([...parts, 'password'], 'was redacted in the output this came from', suggestion)]
}

function tableProblems(document: PipelineDocument): PlacedProblem[] {
  const seen = new Set<string>()
  const problems: PlacedProblem[] = []
  for (const [index, table] of (document.tables ?? []).entries()) {
    const parts = ['tables', index, 'source']
    const { schema, table: name } = refOf(table.source, '')
    const key = JSON.stringify([schema, name])
    if (seen.has(key)) problems.push(placed(parts, 'has a route already'))
    seen.add(key)
    for (const [part, ref] of Object.entries({ source: table.source, target: table.target })) {
      if (ref !== undefined && refOf(ref, '').table === '') {
        problems.push(placed(['tables', index, part], 'names no table'))
      }
    }
    if (isAmbiguous(document, table)) {
      const target = ['tables', index, 'target']
      problems.push(placed(target, 'must name a schema: the sinks have different ones'))
    }
  }
  return problems
}

type Table = NonNullable<PipelineDocument['tables']>[number]

function isAmbiguous(document: PipelineDocument, table: Table): boolean {
  const schemas = new Set(
    document.sinks.flatMap((sink) =>
      sink.kind === 'postgres' ? [sink.schema ?? defaults.schema] : [],
    ),
  )
  return schemas.size > 1 && refOf(table.target ?? { table: 'any' }, '').schema === ''
}

function sinkProblems(document: PipelineDocument): PlacedProblem[] {
  const names = document.sinks.map(({ name }) => name)
  return document.sinks.flatMap((sink, index) => {
    const parts = ['sinks', index]
    const problems: PlacedProblem[] = []
    if (names.indexOf(sink.name) < index) {
      problems.push(placed([...parts, 'name'], `${sink.name} is the name of another sink`))
    }
    return [...problems, ...postgresProblems(sink, document.source, parts)]
  })
}

function postgresProblems(
  sink: SinkDocument,
  source: SourceDocument,
  parts: readonly PathPart[],
): PlacedProblem[] {
  if (sink.kind !== 'postgres') return []
  const problems = secretProblems(sink, parts, 'optional')
  if (source.format === 'bytes') {
    problems.push(placed(parts, 'takes rows, but source.format bytes has none'))
  }
  const bytes = sink.buffer_size === undefined ? undefined : sizeBytes(sink.buffer_size)
  if (sink.buffer_size !== undefined && (bytes ?? 0) < limits.bufferBytesMin) {
    problems.push(placed([...parts, 'buffer_size'], 'must be at least 1MiB'))
  }
  return problems
}

function checkpointProblems(document: PipelineDocument): PlacedProblem[] {
  const interval = document.checkpoint?.interval ?? defaults.interval
  const timeout = document.checkpoint?.timeout ?? defaults.timeout
  const intervalMs = durationMs(interval) ?? 0
  const timeoutMs = durationMs(timeout) ?? 0
  const problems: PlacedProblem[] = []
  if (intervalMs < limits.intervalMsMin || intervalMs > limits.intervalMsMax) {
    const range = `${limits.intervalMsMin}ms to ${durationText(limits.intervalMsMax)}`
    problems.push(placed(['checkpoint', 'interval'], `must be ${range}`))
  }
  if (timeoutMs <= intervalMs || timeoutMs > limits.timeoutMsMax) {
    const range = `longer than the interval (${interval}), at most 1h`
    problems.push(placed(['checkpoint', 'timeout'], `is ${timeout}; it must be ${range}`))
  }
  return problems
}
