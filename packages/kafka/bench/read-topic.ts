// How fast a topic is read, by one process and one reader; not part of any test.
//
//   node --conditions=source packages/kafka/bench/read-topic.ts \
//     BROKERS TOPIC [fill MEGABYTES CODEC]
//
// `fill` makes the topic with four partitions and writes records of 1,200 bytes first. Each of
// three runs reads everything from the start up to the end as it is then.
import { offset } from '@onceflow/model'
import { type Codec, codecs } from '../test/support/batch-encoder.ts'
import { openSource } from '../test/support/source-under-test.ts'
import { TestCluster } from '../test/support/test-cluster.ts'

const [brokerList = '127.0.0.1:27000', topic = 'bench', fill, megabytes = '100', codec = 'none'] =
  process.argv.slice(2)
const brokers = brokerList.split(',')
const partitions = 4
const recordBytes = 1_200
const batchRecords = 200
const print = (line: string): boolean => process.stdout.write(`${line}\n`)

function isCodec(name: string): name is Codec {
  return codecs.some((each) => each === name)
}

/** Text that compresses about as well as JSON does. */
function recordValue(index: number): string {
  let text = ''
  for (let field = 0; text.length < recordBytes; field++) {
    text += `"column_${field}":"${(index * 7_919 + field * 104_729).toString(36)}",`
  }
  return text.slice(0, recordBytes)
}

async function fillTopic(): Promise<void> {
  if (!isCodec(codec)) throw new Error(`codec is one of ${codecs.join(', ')}`)
  const cluster = await TestCluster.connect(brokers)
  await cluster.createTopic(topic, partitions)
  const batches = Math.ceil((Number(megabytes) * 1e6) / (recordBytes * batchRecords))
  for (let batch = 0; batch < batches; batch++) {
    const records = Array.from({ length: batchRecords }, (_none, index) => ({
      key: `key-${batch}-${index}`,
      value: recordValue(batch * batchRecords + index),
      timestampMs: Date.now(),
    }))
    await cluster.produce({ topic, partition: batch % partitions }, records, { codec })
  }
  cluster.close()
  print(`${topic}: ${batches * batchRecords} records written, codec ${codec}`)
}

async function readTopic(): Promise<void> {
  const source = await openSource({ brokers, topics: [topic] })
  const found = await source.inspect()
  const ends = new Map(found.map((info) => [info.partition, info.end]))
  const positions = found.map((info) => ({
    topic,
    topicId: info.topicId,
    partition: info.partition,
    offset: offset(info.earliest),
    leaderEpoch: -1,
  }))
  const startMs = performance.now()
  const cpu = process.cpuUsage()
  const reader = await source.open({ positions, bufferBytesMax: 32 * 1024 * 1024 })
  let records = 0
  let bytes = 0
  while (ends.size > 0) {
    for (const batch of await reader.poll(1_000)) {
      records += batch.records.length
      bytes += batch.bytes
      if (batch.next.offset >= (ends.get(batch.partition) ?? 0n)) ends.delete(batch.partition)
    }
  }
  const seconds = (performance.now() - startMs) / 1_000
  const used = process.cpuUsage(cpu)
  await source.close()
  const core = Math.round(((used.user + used.system) / 1e6 / seconds) * 100)
  print(
    `${records} records, ${(bytes / 1e6).toFixed(0)} MB unpacked, ${seconds.toFixed(2)} s: ` +
      `${(bytes / 1e6 / seconds).toFixed(0)} MB/s, ${Math.round(records / seconds)} records/s, ` +
      `${core} % of a core, ${Math.round(process.memoryUsage().rss / 1e6)} MB RSS`,
  )
}

if (fill === 'fill') await fillTopic()
for (let run = 0; run < 3; run++) await readTopic()
