import { failureCodes } from '@onceflow/model'
import { expect, test } from 'vitest'

// The page is written from the codes; after a change of the codes write it anew with
//   scripts/pnpm exec vitest run test/tidy/errors-page.test.ts --update
const head = `# Failure codes

Every failure that a process logs, an API answers or a checkpoint records carries one of these
codes. Its class says who has to act: after *retry* the product tries again by itself, in a new
attempt; after *fence* the process was replaced by a newer one and stops; after *fatal* the pipeline
stops until an operator has acted.

| code | class | what has happened | what to do |
| --- | --- | --- | --- |
`

function errorsPage(): string {
  const rows = Object.entries(failureCodes).map(
    ([code, { class: failureClass, meaning, hint }]) =>
      `| \`${code}\` | ${failureClass} | ${cell(meaning)} | ${cell(hint)} |\n`,
  )
  return head + rows.join('')
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|')
}

test('docs/errors.md lists every failure code as the model has it', async () => {
  await expect(errorsPage()).toMatchFileSnapshot('../../docs/errors.md')
})
