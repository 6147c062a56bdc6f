import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { MethodDefinition } from '@grpc/grpc-js'
import { loadSync, type MessageTypeDefinition, type PackageDefinition } from '@grpc/proto-loader'
import { invariant } from '@onceflow/model'

// A published package carries its own copy of proto/; in the workspace it stands at the root. Both
// are as far from src/ as from dist/.
const candidates = ['../proto', '../../../proto'].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
)

/** The folder that holds onceflow/v1/control.proto. */
export function protoFolder(): string {
  const found = candidates.find((path) => existsSync(`${path}/onceflow/v1/control.proto`))
  invariant(found !== undefined, `no proto folder at ${candidates.join(' or ')}`)
  return found
}

const files = [
  'onceflow/v1/admin.proto',
  'onceflow/v1/control.proto',
  'google/rpc/error_details.proto',
  'google/rpc/status.proto',
]

let loaded: PackageDefinition | undefined

/** Every message and service of ours; 64-bit numbers are text, enum values are names. */
export function packageDefinition(): PackageDefinition {
  loaded ??= loadSync(files, {
    includeDirs: [protoFolder()],
    longs: String,
    enums: String,
    defaults: true,
    arrays: true,
    oneofs: true,
  })
  return loaded
}

/** Turns one message into bytes and back. Both throw when the value or the bytes do not fit. */
export interface Codec<Input extends object, Output> {
  encode(value: Input): Buffer
  decode(bytes: Buffer): Output
}

/** The codec of a message; the two types are those generated for its name. */
export function codec<Input extends object, Output>(name: string): Codec<Input, Output> {
  const definition = packageDefinition()[name]
  invariant(isMessage(definition), `no message is named ${name}`)
  return {
    encode: (value) => definition.serialize(value),
    decode: (bytes) => definition.deserialize(bytes) as Output,
  }
}

/** A method of a service of ours; the two types are those generated for its messages. */
export function method<Request, Response>(
  service: string,
  name: string,
): MethodDefinition<Request, Response> {
  const methods = packageDefinition()[service]
  invariant(methods !== undefined, `no service is named ${service}`)
  const found: unknown = Reflect.get(methods, name)
  invariant(found !== undefined, `${service} has no method ${name}`)
  return found as MethodDefinition<Request, Response>
}

function isMessage(
  definition: PackageDefinition[string] | undefined,
): definition is MessageTypeDefinition<object, object> {
  return definition !== undefined && 'serialize' in definition && 'deserialize' in definition
}
