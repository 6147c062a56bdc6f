import { existsSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { expect, test } from 'vitest'
import { root, trackedFiles } from './repository.ts'

const pages = new Map(
  trackedFiles()
    .filter(({ path }) => path.endsWith('.md'))
    .map(({ path, text }) => [path, text]),
)

/** The pages and files that a page links to, as paths from the root. */
function linksOf(path: string): string[] {
  const links = [...(pages.get(path) ?? '').matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)]
  return links
    .map(([, target]) => target ?? '')
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => normalize(join(dirname(path), target)))
}

/** Files in code style, by a path from the root or from the page: `docs/errors.md`. */
function namedFilesOf(path: string): string[] {
  const names = [...(pages.get(path) ?? '').matchAll(/`((?:docs|scripts|test|proto)\/[\w./-]+)/g)]
  return names.map(([, name]) => name ?? '')
}

test('every link of a page leads to a file', () => {
  const broken = [...pages.keys()].flatMap((path) =>
    linksOf(path)
      .filter((target) => !existsSync(join(root, target)))
      .map((target) => `${path}: ${target}`),
  )
  expect(broken).toEqual([])
})

test('every file that a page names exists', () => {
  const missing = [...pages.keys()].flatMap((path) =>
    namedFilesOf(path)
      .filter(
        (name) => ![root, join(root, dirname(path))].some((from) => existsSync(join(from, name))),
      )
      .map((name) => `${path}: ${name}`),
  )
  expect(missing).toEqual([])
})

test('every page of docs can be reached from the README', () => {
  const reached = new Set(['README.md'])
  for (const path of reached) {
    for (const target of linksOf(path)) if (pages.has(target)) reached.add(target)
  }
  // What programs write stands in the README of its folder, under the name of its program.
  const lost = [...pages.keys()].filter(
    (path) =>
      path.startsWith('docs/') &&
      !reached.has(path) &&
      !(path.startsWith('docs/reports/') && reached.has('docs/reports/README.md')),
  )
  expect(lost).toEqual([])
})
