import type { Secret } from '@onceflow/model'
import type { Problem } from './problem.ts'
import { type SettingKey, settings } from './process-settings.ts'
import type { SettingValue } from './setting-values.ts'
import { durationMs } from './units.ts'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

const addressPattern = /^(?:https?:\/\/)?(?:\[[0-9A-Fa-f:.]+\]|[^\s:/[\]]+):\d{1,5}$/
const levels = ['debug', 'info', 'warn', 'error'] as const

/** Reads settings by their kind; what cannot be read is collected, and a stand-in is returned. */
export class SettingReader {
  readonly problems: Problem[] = []
  readonly #values: ReadonlyMap<string, SettingValue>

  constructor(values: ReadonlyMap<string, SettingValue>) {
    this.#values = values
  }

  complain(key: SettingKey, text: string): void {
    const path = this.#values.get(key)?.calledBy ?? key
    this.problems.push({ path, text })
  }

  text(key: SettingKey): string | undefined {
    const text = this.#values.get(key)?.text
    if (text !== undefined && text !== '') return text
    if (settings[key].need === 'needed') this.complain(key, 'is required')
    return undefined
  }

  list(key: SettingKey): readonly string[] {
    const parts = (this.text(key) ?? '').split(',').map((part) => part.trim())
    return parts.filter((part) => part !== '')
  }

  addresses(key: SettingKey): readonly string[] {
    const list = this.list(key)
    const bad = list.filter((one) => !addressPattern.test(one))
    if (bad.length > 0) this.complain(key, `must be host:port, not ${bad.join(', ')}`)
    return list
  }

  address(key: SettingKey): string | undefined {
    const text = this.text(key)
    if (text !== undefined && !addressPattern.test(text)) {
      this.complain(key, `must be host:port, not ${text}`)
    }
    return text
  }

  addressOrOff(key: SettingKey): string | undefined {
    return this.text(key) === 'off' ? undefined : this.address(key)
  }

  duration(key: SettingKey): number {
    const text = this.text(key) ?? ''
    const ms = durationMs(text)
    if (ms !== undefined && ms > 0) return ms
    this.complain(key, `must be a duration with its unit, such as 250ms or 10s, not ${text}`)
    // Not a number, so that no comparison with it gives a second complaint.
    return Number.NaN
  }

  count(key: SettingKey): number {
    const text = this.text(key) ?? ''
    const count = Number(text)
    if (/^\d+$/.test(text) && count >= 1 && count <= 1_000_000) return count
    this.complain(key, `must be a whole number from 1, not ${text}`)
    return 1
  }

  yesNo(key: SettingKey): 'yes' | 'no' {
    const text = this.text(key) ?? ''
    if (['yes', 'true', '1'].includes(text)) return 'yes'
    if (!['no', 'false', '0', ''].includes(text)) this.complain(key, 'must be yes or no')
    return 'no'
  }

  level(key: SettingKey): LogLevel {
    const text = this.text(key)
    const level = levels.find((one) => one === text)
    if (level === undefined) this.complain(key, `must be one of ${levels.join(', ')}`)
    return level ?? 'info'
  }

  secret(key: SettingKey): Secret | undefined {
    const inline = this.#values.get(key)
    const file = this.#values.get(`${key}_file`)
    if (inline !== undefined && file !== undefined) {
      this.complain(key, `is given twice, as a value and as a file (${file.calledBy})`)
    }
    if (file !== undefined) return { kind: 'file', path: file.text }
    return inline === undefined ? undefined : { kind: 'inline', value: inline.text }
  }
}
