import { times } from './cluster.ts'
import type { FaultResult } from './fault-cases.ts'
import type { CaseResult } from './matrix-case.ts'

export function median(values: readonly number[]): number | undefined {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) / 2)]
}

const recoveries = (
  results: readonly CaseResult[],
  role: 'leader' | 'worker',
  action: 'crash' | 'freeze',
): readonly number[] =>
  results
    .filter(({ case: one }) => one.point.role === role && one.action === action)
    .flatMap(({ recoveryMs }) => recoveryMs ?? [])

export function summaryOf(
  results: readonly CaseResult[],
  faults: readonly FaultResult[],
): readonly string[] {
  const count = (outcome: CaseResult['outcome']): number =>
    results.filter((result) => result.outcome === outcome).length
  const lines = [
    `${count('clean')} of ${results.length} cases clean, ${count('wrong')} wrong, ` +
      `${count('not-reached')} not reached`,
  ]
  for (const role of ['leader', 'worker'] as const) {
    for (const action of ['crash', 'freeze'] as const) {
      const found = recoveries(results, role, action)
      if (found.length === 0) continue
      lines.push(
        `${action} of a ${role}: the next commit after ${median(found)} ms (median of ` +
          `${found.length}), ${Math.max(...found)} ms at most`,
      )
    }
  }
  if (faults.length > 0) {
    const clean = faults.filter(({ problems }) => problems.length === 0).length
    lines.push(`${clean} of ${faults.length} fault cases clean`)
  }
  return lines
}

export function reportOf(
  results: readonly CaseResult[],
  faults: readonly FaultResult[],
  about: { readonly seed: string; readonly revision: string },
): string {
  const cases = results.map(({ case: one, outcome, recoveryMs, tookMs }) =>
    cells(one.point.name, one.action, `${one.hit}`, outcome, recoveryMs, tookMs),
  )
  const others = faults.map(({ name, problems, recoveryMs, tookMs }) =>
    cells(name, problems.length === 0 ? 'clean' : 'wrong', recoveryMs, tookMs),
  )
  const wrong = [
    ...results.flatMap(({ case: one, problems }) =>
      problems.map((problem) => `- ${one.action} ${one.point.name}: ${problem}`),
    ),
    ...faults.flatMap(({ name, problems }) => problems.map((problem) => `- ${name}: ${problem}`)),
  ]
  return [
    '# Crash matrix',
    '',
    'Made by `scripts/crash-matrix --full`. Two coordinators and two workers as real processes on',
    'Kafka, etcd and PostgreSQL, under a load of bank transfers; one of them dies (SIGKILL) or',
    'freezes for eight seconds and goes on as a zombie, at the named place. Afterwards, within 30 s:',
    'all rows as expected, the sum constant, the ledger contiguous, decisions and ledger equal,',
    'nothing prepared, one attempt running; during the run every snapshot of the tables equals the',
    "fold of the source up to the ledger's positions. Times are from the hit to the next new row of",
    `the ledger, with a lease of ${times.leaseTtlMs} ms and workers lost after ` +
      `${times.workerLostMs} ms of silence.`,
    '',
    `Revision ${about.revision}, seed ${about.seed} (ONCEFLOW_SEED repeats it).`,
    '',
    ...summaryOf(results, faults).map((line) => `- ${line}`),
    '',
    ...(wrong.length === 0 ? [] : ['## What was wrong', '', ...wrong, '']),
    '## Points',
    '',
    '| point | action | hit | outcome | recovery, ms | case, ms |',
    '|---|---|---|---|---|---|',
    ...cases,
    '',
    '## Faults',
    '',
    '| fault | outcome | going again after, ms | case, ms |',
    '|---|---|---|---|',
    ...others,
    '',
  ].join('\n')
}

const cells = (...values: readonly (string | number | undefined)[]): string =>
  `| ${values.map((value) => value ?? '-').join(' | ')} |`
