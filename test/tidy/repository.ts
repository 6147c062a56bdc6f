import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Absolute path of the repository's root. */
export const root = join(import.meta.dirname, '../..')

/** A file that git tracks: its path from the root, and its text. */
export interface TrackedFile {
  readonly path: string
  readonly text: string
}

let files: readonly TrackedFile[] | undefined

/**
 * Every text file that git tracks, as it is in the work tree. What is not tracked is nobody's
 * promise yet, and a file that was just deleted is already gone.
 */
export function trackedFiles(): readonly TrackedFile[] {
  files ??= execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '')
    .flatMap(readText)
  return files
}

function readText(path: string): TrackedFile[] {
  try {
    const text = readFileSync(join(root, path), 'utf8')
    return text.includes('\0') ? [] : [{ path, text }]
  } catch {
    return []
  }
}

/** The lines of a text, without the empty one after the last line break. */
export function linesOf(text: string): readonly string[] {
  const lines = text.split('\n')
  return lines.at(-1) === '' ? lines.slice(0, -1) : lines
}

/** Names of the folders in packages/ that hold a package. */
export function packageNames(): readonly string[] {
  return trackedFiles()
    .map(({ path }) => /^packages\/([^/]+)\/package\.json$/.exec(path)?.[1])
    .filter((name) => name !== undefined)
}

/** The sources of a package's tests, data files included; they need not be tracked yet. */
export function testTexts(packageName: string): readonly string[] {
  return textsUnder(join(root, 'packages', packageName, 'test'))
}

function textsUnder(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
}
