import { type Change, pipelineUid, sinkName, type TableShape } from '@onceflow/model'
import { MemoryDatabase, memorySinkFactory } from '@onceflow/twins'
import { describeSink } from './sink.ts'

const shape: TableShape = {
  source: { schema: 'public', table: 'item' },
  columns: [
    { name: 'key', type: 'text', nullable: false, keyOrdinal: 0 },
    { name: 'value', type: 'text', nullable: true, keyOrdinal: undefined },
  ],
  keyColumns: [0],
  origin: 'record',
}

const row = (key: string, value: string): Change => ({
  kind: 'upsert',
  op: 'create',
  shape,
  cells: [key, value],
  keyChange: 'none',
  origin: { lsn: undefined, commitTimeMs: 0 },
  position: { topic: 'item', partition: 0, offset: 0n },
})

describeSink('the twin', async () => {
  const database = new MemoryDatabase()
  const factory = memorySinkFactory(database)
  const name = sinkName('target')
  const request = {
    spec: { kind: 'custom' as const, name, type: 'memory', options: {} },
    tables: [],
    otherTables: 'pass' as const,
  }
  return {
    pipeline: pipelineUid('conformance1'),
    sink: name,
    create: () => factory.create(request),
    batch: async (_, pairs) => pairs.map(({ key, value }) => row(key, value)),
    visible: async () =>
      database
        .rows('public.item')
        .map((one) => ({ key: one['key'] ?? '', value: one['value'] ?? '' })),
    close: async () => undefined,
  }
})
