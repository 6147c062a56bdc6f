// Only rules that need types, and bans that need the shape of the syntax tree; Biome does the rest.
import { parser, plugin } from 'typescript-eslint'

const rooms = (names, tail = 'src/**/*.ts') => names.map((name) => `packages/${name}/${tail}`)

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

// An assertion is the exception: its boolean is the sentence that must be true.
const booleanParameter = {
  selector:
    ':matches(FunctionDeclaration, MethodDefinition > FunctionExpression, TSMethodSignature)' +
    ':not([returnType.typeAnnotation.asserts=true]) > ' +
    'Identifier[typeAnnotation.typeAnnotation.type="TSBooleanKeyword"]',
  message: 'A boolean parameter says nothing where it is called: take a word or a named option.',
}

const impure = [
  { selector: 'AwaitExpression', message: 'A pure room decides; only a loop may wait.' },
  { selector: ':function[async=true]', message: 'A pure room decides; only a loop may wait.' },
  { selector: 'ForOfStatement[await=true]', message: 'A pure room decides; only a loop may wait.' },
  {
    selector: 'MemberExpression[object.name="Math"][property.name="random"]',
    message: 'Randomness arrives in an event or through a port.',
  },
  booleanParameter,
]

const fromOutside = 'A pure room gets time and the world in events: see STYLE.md.'
const impureGlobals = [
  'Date',
  'performance',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'queueMicrotask',
  'process',
  'Buffer',
  'console',
  'fetch',
  'crypto',
].map((name) => ({ name, message: fromOutside }))

export default [
  {
    ignores: ['**/dist/**', '**/node_modules/**', '**/generated/**', '.cache/**', '**/fixtures/**'],
  },
  {
    files: ['packages/*/{src,test}/**/*.ts', 'test/**/*.ts', 'scripts/**/*.ts'],
    languageOptions: {
      parser,
      parserOptions: { project: ['./tsconfig.test.json'], tsconfigRootDir: import.meta.dirname },
    },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: { '@typescript-eslint': plugin },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
      ],
      '@typescript-eslint/strict-boolean-expressions': [
        'error',
        { allowString: false, allowNumber: false },
      ],
    },
  },
  {
    files: ['packages/*/src/**/*.ts'],
    rules: { 'no-restricted-syntax': ['error', booleanParameter] },
  },
  {
    files: rooms(pureRooms),
    rules: {
      'no-restricted-syntax': ['error', ...impure],
      'no-restricted-globals': ['error', ...impureGlobals],
    },
  },
  {
    // kafkajs is our connection layer only: its own consumer and producer commit and retry behind
    // the protocol's back.
    files: rooms(['kafka', 'worker']),
    rules: {
      'no-restricted-syntax': [
        'error',
        booleanParameter,
        {
          selector: 'CallExpression[callee.property.name=/^(consumer|producer)$/]',
          message: 'kafkajs is used for its connections only, never its consumer or producer.',
        },
      ],
    },
  },
]
