import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { armedFailPoints } from '../src/armed-fail-points.ts'

describe('the text', () => {
  test('arms nothing when it is empty', () => {
    const points = armedFailPoints('')
    expect(points.reached('P4.seal.before')).toBeUndefined()
  })

  test('arms the named points only, at the first hit unless it says another', async () => {
    const points = armedFailPoints('P4.seal.before=delay:1,P6.decide.reply-lost=delay:1@3')
    expect(points.reached('P4.seal.after')).toBeUndefined()
    const first = points.reached('P4.seal.before')
    expect(first).toBeInstanceOf(Promise)
    await first
    expect(points.reached('P4.seal.before')).toBeUndefined()
    expect(points.reached('P6.decide.reply-lost')).toBeUndefined()
    expect(points.reached('P6.decide.reply-lost')).toBeUndefined()
    await expect(points.reached('P6.decide.reply-lost')).resolves.toBeUndefined()
    expect(points.reached('P6.decide.reply-lost')).toBeUndefined()
  })

  test('a delay lasts as long as it says', async () => {
    const began = performance.now()
    await armedFailPoints('a=delay:60').reached('a')
    expect(performance.now() - began).toBeGreaterThanOrEqual(59)
  })

  test.each(['a', 'a=', '=crash', 'a=explode', 'a=delay', 'a=delay:x', 'a=crash@', 'a=crash@x'])(
    '%s is refused',
    (text) => {
      expect(() => armedFailPoints(text)).toThrow(/CONFIG_INVALID/)
      expect(() => armedFailPoints(`b=crash,${text}`)).toThrow(/CONFIG_INVALID/)
    },
  )
})

describe('a process', () => {
  const module = join(import.meta.dirname, '../src/armed-fail-points.ts')
  const start = (text: string) =>
    spawn(
      process.execPath,
      [
        ...['--conditions=source', '--input-type=module', '-e'],
        `import { armedFailPoints } from ${JSON.stringify(module)}
         const points = armedFailPoints(${JSON.stringify(text)})
         await points.reached('P4.seal.before')
         console.log('once')
         await points.reached('P4.seal.before')
         console.log('lived')`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )

  test('dies of SIGKILL at a crash, at the hit that was asked for', async () => {
    const child = start('P4.seal.before=crash@2')
    let printed = ''
    child.stdout.on('data', (data: Buffer) => {
      printed += data.toString()
    })
    const [code, signal] = await once(child, 'close')
    expect({ code, signal, printed }).toEqual({ code: null, signal: 'SIGKILL', printed: 'once\n' })
  })

  test('stands still at a freeze until somebody continues it', async () => {
    const child = start('P4.seal.before=freeze@2')
    await once(child.stdout, 'data')
    const waiting = new AbortController()
    const still = new Promise<string>((resolve) => {
      setTimeout(() => resolve('still'), 300)
    })
    const ended = once(child, 'exit', { signal: waiting.signal }).then(() => 'ended')
    expect(await Promise.race([still, ended])).toBe('still')
    child.kill('SIGCONT')
    expect(await ended).toBe('ended')
    expect(child.exitCode).toBe(0)
  })
})
