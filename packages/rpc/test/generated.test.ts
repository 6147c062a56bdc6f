import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const packageFolder = join(import.meta.dirname, '..')

const texts = (folder: string) =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length), readFileSync(path, 'utf8').split('\n')]),
  )

// After a change of proto/: scripts/pnpm --filter @onceflow/rpc run generate
test('src/generated is what proto/ gives', () => {
  const manifest = JSON.parse(readFileSync(join(packageFolder, 'package.json'), 'utf8'))
  const script: string = manifest.scripts.generate
  const target = mkdtempSync(join(tmpdir(), 'onceflow-generated-'))
  try {
    const path = `${join(packageFolder, 'node_modules/.bin')}:${process.env['PATH']}`
    execFileSync('sh', ['-c', script.replaceAll('src/generated', target)], {
      cwd: packageFolder,
      env: { ...process.env, PATH: path },
    })
    expect(texts(target)).toEqual(texts(join(packageFolder, 'src/generated')))
  } finally {
    rmSync(target, { recursive: true, force: true })
  }
})
