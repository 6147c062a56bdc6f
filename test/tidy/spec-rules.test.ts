import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { linesOf, packageNames, root, testTexts } from './repository.ts'

// A rule of a SPEC.md is a list item that opens with its number in bold: `- **CP-7** sentence`.
const rulePattern = /^\s*[-*] \*\*([A-Z][A-Za-z]*-?\d+[a-z]?)\*\*/

const specified = packageNames().flatMap((name) => {
  const path = join(root, 'packages', name, 'SPEC.md')
  return existsSync(path) ? [{ name, rules: rulesOf(readFileSync(path, 'utf8')) }] : []
})

function rulesOf(text: string): string[] {
  return linesOf(text).flatMap((line) => rulePattern.exec(line)?.[1] ?? [])
}

function namesRule(text: string, rule: string): boolean {
  return new RegExp(`(?<![A-Za-z0-9-])${rule}(?![A-Za-z0-9])`).test(text)
}

test('a rule is found by its whole number', () => {
  expect(rulesOf('- **CP-7** one at a time\n* **K3** x\n- **Bold** words\n')).toEqual([
    'CP-7',
    'K3',
  ])
  expect(namesRule("test('CP-7: one at a time'", 'CP-7')).toBe(true)
  expect(namesRule("test('CP-70: another'", 'CP-7')).toBe(false)
})

describe.each(specified)('packages/$name/SPEC.md', ({ name, rules }) => {
  test('numbers its rules as `- **NAME-1** sentence`', () => {
    expect(rules).not.toEqual([])
  })

  test('gives each rule one number', () => {
    expect(rules.filter((rule, index) => rules.indexOf(rule) !== index)).toEqual([])
  })

  test('has a test that names each rule', () => {
    const texts = testTexts(name)
    expect(rules.filter((rule) => !texts.some((text) => namesRule(text, rule)))).toEqual([])
  })
})
