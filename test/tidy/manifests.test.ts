import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { packageNames, root } from './repository.ts'

interface Manifest {
  readonly name: string
  readonly version: string
  readonly type: string
  readonly license: string
  readonly engines: Readonly<Record<string, string>>
  readonly exports: unknown
  readonly dependencies?: Readonly<Record<string, string>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

interface TypeScriptConfig {
  readonly compilerOptions: { readonly types?: readonly string[] }
  readonly references: readonly { readonly path: string }[]
}

const pureRooms = [
  'model',
  'ports',
  'checkpoint',
  'placement',
  'dataflow',
  'sinkprotocol',
  'debezium',
  'spec',
]

const readJson = <T>(path: string): T => JSON.parse(readFileSync(join(root, path), 'utf8'))
const rootManifest = readJson<Manifest>('package.json')
const folderOf = (dependency: string) => dependency.replace(/^@onceflow\//, '')
const isOurs = (dependency: string) => dependency === 'onceflow' || /^@onceflow\//.test(dependency)

describe.each([...packageNames()])('packages/%s', (name) => {
  const manifest = readJson<Manifest>(`packages/${name}/package.json`)
  const config = readJson<TypeScriptConfig>(`packages/${name}/tsconfig.json`)

  test('agrees with the workspace', () => {
    expect(manifest).toMatchObject({
      name: name === 'onceflow' ? 'onceflow' : `@onceflow/${name}`,
      version: rootManifest.version,
      license: rootManifest.license,
      engines: rootManifest.engines,
      type: 'module',
    })
  })

  test('is read from its sources by tests and from dist by processes', () => {
    expect(manifest.exports).toMatchObject({
      '.': { source: './src/index.ts', types: './dist/index.d.ts', default: './dist/index.js' },
    })
  })

  test('is built after what it depends on', () => {
    const needed = Object.keys(manifest.dependencies ?? {}).filter(isOurs)
    const paths = needed.map((dependency) => `../${folderOf(dependency)}`)
    expect(config.references.map(({ path }) => path).sort()).toEqual(paths.sort())
  })
})

test.each(pureRooms)('packages/%s sees no clock, process or timer', (name) => {
  const config = readJson<TypeScriptConfig>(`packages/${name}/tsconfig.json`)
  expect(config.compilerOptions.types).toEqual([])
})

test('every version of a dependency is exact', () => {
  const manifests = packageNames().map((name) =>
    readJson<Manifest>(`packages/${name}/package.json`),
  )
  const loose = [rootManifest, ...manifests].flatMap(({ name, dependencies, devDependencies }) =>
    Object.entries({ ...dependencies, ...devDependencies })
      .filter(([, version]) => !/^(?:workspace:\*|\d+\.\d+\.\d+(?:-[\w.]+)?)$/.test(version))
      .map(([dependency, version]) => `${name}: ${dependency} ${version}`),
  )
  expect(loose).toEqual([])
})

test('every runtime dependency has its reason in ARCHITECTURE.md', () => {
  const architecture = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')
  const named = packageNames().flatMap((name) => {
    const manifest = readJson<Manifest>(`packages/${name}/package.json`)
    return Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies })
  })
  const unexplained = named.filter((name) => !isOurs(name) && !architecture.includes(name))
  expect(unexplained).toEqual([])
})

test('every package is built and can be imported by the tests of the root', () => {
  const { references } = readJson<TypeScriptConfig>('tsconfig.json')
  const names = [...packageNames()].sort()
  expect(references.map(({ path }) => path.replace('packages/', '')).sort()).toEqual(names)
  const imported = Object.keys(rootManifest.devDependencies ?? {}).filter(isOurs)
  expect(imported.map(folderOf).sort()).toEqual(names)
})

test('the changelog has an entry for this version', () => {
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  const entry = changelog.split(/^## /m).find((part) => part.startsWith(rootManifest.version))
  expect(entry).toBeDefined()
  for (const section of ['Safety', 'Features', 'Internals']) {
    expect(entry).toContain(`### ${section}`)
  }
})
