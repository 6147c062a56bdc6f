import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  jsonToYaml,
  parsePipelineSpec,
  redactSpec,
  specFromJson,
  specToJson,
  specVersion,
} from '../src/index.ts'
import { anySpec } from './arbitrary-spec.ts'

test('a stored spec is read back as it was', () => {
  fc.assert(
    fc.property(anySpec, (spec) => {
      const json = JSON.parse(JSON.stringify(specToJson(spec)))
      expect(specFromJson(specVersion, json)).toEqual(spec)
    }),
  )
})

test('no inline secret is in a redacted spec', () => {
  fc.assert(
    fc.property(anySpec, fc.uuid(), (spec, canary) => {
      const secret = { kind: 'inline', value: canary } as const
      const source =
        spec.source.kind === 'kafka' && spec.source.sasl !== undefined
          ? { ...spec.source, sasl: { ...spec.source.sasl, password: secret } }
          : spec.source
      const sinks = spec.sinks.map((sink) =>
        sink.kind === 'postgres'
          ? { ...sink, password: secret }
          : { ...sink, options: { api_token: canary, nested: { dbPassword: canary } } },
      )
      const whole = { ...spec, source, sinks }
      expect(JSON.stringify(specToJson(whole))).toContain(canary)
      expect(JSON.stringify(redactSpec(whole))).not.toContain(canary)
    }),
  )
})

test('a redacted spec is refused until its secrets are given again', () => {
  const text = `
name: shop
source: {kind: kafka, brokers: [a:1], topics: [t]}
sinks: [{kind: postgres, name: main, host: h, database: d, user: u, password: hush}]
`
  const result = parsePipelineSpec(text)
  if (result.kind === 'invalid') throw new Error('the text is valid')
  const shown = parsePipelineSpec(jsonToYaml(redactSpec(result.spec)))
  expect(shown).toMatchObject({ kind: 'invalid', problems: [{ path: 'sinks[0].password' }] })
  expect(parsePipelineSpec(jsonToYaml(specToJson(result.spec)))).toEqual(result)
})

test.each([
  { name: 'an unknown version', version: 2, json: {}, text: /unknown version 2/ },
  { name: 'an unknown key', version: 1, json: { colour: 'red' }, text: /colour: is not a known/ },
  { name: 'no mapping', version: 1, json: null, text: /stored spec is invalid/ },
])('$name is METADATA_FORMAT', ({ version, json, text }) => {
  expect(() => specFromJson(version, json)).toThrow(text)
  expect(() => specFromJson(version, json)).toThrow('METADATA_FORMAT')
})
