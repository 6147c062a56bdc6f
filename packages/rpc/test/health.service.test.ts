import { Client, credentials, Metadata } from '@grpc/grpc-js'
import { loadSync } from '@grpc/proto-loader'
import { MemoryAdmin } from '@onceflow/twins'
import { afterEach, expect, test } from 'vitest'
import { packageDefinition } from '../src/messages.ts'
import { Stage } from './control-plane.ts'

const stage = new Stage()
afterEach(() => stage.clear())

test('health tells leaders from followers, and reflection lists the services', async () => {
  const leader = await stage.coordinator({ admin: new MemoryAdmin() })
  leader.server.gate.accept()
  const follower = await stage.coordinator({ admin: new MemoryAdmin() })
  follower.server.gate.redirect(leader.address)
  const service = 'onceflow.v1.PipelineService'
  expect(await healthOf(leader.address, service)).toBe('SERVING')
  expect(await healthOf(follower.address, service)).toBe('NOT_SERVING')
  expect(await healthOf(follower.address, '')).toBe('SERVING')
  expect(await healthOf(follower.address, 'onceflow.v1.ControlService')).toBe('SERVING')
  expect(Object.keys(packageDefinition())).toContain(service)
  expect(await reflectedServices(leader.address)).toEqual(
    expect.arrayContaining([service, 'onceflow.v1.ControlService']),
  )
})

const healthFile = import.meta.resolve('grpc-health-check').replace(/build\/.*/, 'proto/')
const reflectionFile = import.meta.resolve('@grpc/reflection').replace(/build\/.*/, 'build/proto/')

async function healthOf(address: string, service: string): Promise<unknown> {
  const definition = loadSync('health/v1/health.proto', {
    includeDirs: [new URL(healthFile).pathname],
    enums: String,
    defaults: true,
  })
  const check = Reflect.get(definition['grpc.health.v1.Health'] ?? {}, 'Check')
  const raw = new Client(address, credentials.createInsecure())
  stage.later(() => raw.close())
  const response = await new Promise<object>((resolve, reject) => {
    const { path, requestSerialize, responseDeserialize } = check
    raw.makeUnaryRequest<object, object>(
      path,
      requestSerialize,
      responseDeserialize,
      { service },
      (error, value) => (error === null ? resolve(value ?? {}) : reject(error)),
    )
  })
  return Reflect.get(response, 'status')
}

async function reflectedServices(address: string): Promise<string[]> {
  const definition = loadSync('grpc/reflection/v1/reflection.proto', {
    includeDirs: [new URL(reflectionFile).pathname],
    defaults: true,
  })
  const info = Reflect.get(
    definition['grpc.reflection.v1.ServerReflection'] ?? {},
    'ServerReflectionInfo',
  )
  const raw = new Client(address, credentials.createInsecure())
  stage.later(() => raw.close())
  const call = raw.makeBidiStreamRequest<object, object>(
    info.path,
    info.requestSerialize,
    info.responseDeserialize,
    new Metadata(),
  )
  const answer = await new Promise<object>((resolve, reject) => {
    call.on('data', resolve)
    call.on('error', reject)
    call.write({ listServices: '*' })
  })
  call.end()
  const { service } = Reflect.get(answer, 'listServicesResponse') as { service: { name: string }[] }
  return service.map(({ name }) => name)
}
