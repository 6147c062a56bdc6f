import { describe, expect, test } from 'vitest'
import { linesOf, trackedFiles } from './repository.ts'

const linesMax = 400
const columnsMax = 100

const isCode = (path: string) => /\.(?:ts|js|cjs|mjs)$/.test(path) || path.startsWith('scripts/')
const isGenerated = (path: string) => /(?:^|\/)(?:generated|fixtures)\//.test(path)
const code = trackedFiles().filter(({ path }) => isCode(path) && !isGenerated(path))

// Written in pieces, so that this file does not find itself.
const registryHosts = [
  ['registry.npmjs', 'org'],
  ['registry.yarnpkg', 'com'],
  ['pypi', 'org'],
  ['files.pythonhosted', 'org'],
  ['crates', 'io'],
  ['proxy.golang', 'org'],
  ['repo1.maven', 'org'],
  ['repo.maven.apache', 'org'],
  ['deb.debian', 'org'],
  ['packages.confluent', 'io'],
].map((parts) => parts.join('.'))

// Absolute paths that exist on one machine only; a script asks mktemp, a test asks os.tmpdir().
const machinePath = new RegExp(`(?<![\\w.}-])/(?:${['work', 'root', 'home', 'tmp'].join('|')})/\\w`)

function placesOf(needle: string): string[] {
  return trackedFiles()
    .filter(({ text }) => text.includes(needle))
    .map(({ path }) => path)
}

describe('every source file', () => {
  test(`has at most ${linesMax} lines`, () => {
    const tooLong = code
      .map(({ path, text }) => ({ path, lines: linesOf(text).length }))
      .filter(({ lines }) => lines > linesMax)
    expect(tooLong).toEqual([])
  })

  // Biome formats code to this width but leaves comments and text as they are; a record in a test
  // may be as long as it is.
  test(`has lines of at most ${columnsMax} columns`, () => {
    const tooWide = code
      .filter(({ path }) => path.endsWith('.ts') && !/(?:^|\/)test\//.test(path))
      .flatMap(({ path, text }) =>
        linesOf(text).map((line, index) => ({ line, place: `${path}:${index + 1}` })),
      )
      .filter(({ line }) => [...line].length > columnsMax && !line.includes('https://'))
      .map(({ place }) => place)
    expect(tooWide).toEqual([])
  })

  test('runs all of its tests', () => {
    const focused = code
      .filter(({ text }) => /\b(?:test|it|describe)(?:\.\w+)*\.only\b/.test(text))
      .map(({ path }) => path)
    expect(focused).toEqual([])
  })
})

describe('the tree', () => {
  test.each(registryHosts)('does not depend on the registry host %s', (host) => {
    expect(placesOf(host)).toEqual([])
  })

  test('names no path of one machine', () => {
    const places = trackedFiles()
      .filter(({ path }) => isCode(path) || path.endsWith('.md'))
      .filter(({ text }) => machinePath.test(text))
      .map(({ path }) => path)
    expect(places).toEqual([])
  })

  test('marks its scripts executable by their first line', () => {
    const odd = trackedFiles()
      .filter(({ path }) => /^scripts\/[^/.]+$|^\.ci\//.test(path) && path !== 'scripts/node-env')
      .filter(({ text }) => !text.startsWith('#!/'))
      .map(({ path }) => path)
    expect(odd).toEqual([])
  })
})
