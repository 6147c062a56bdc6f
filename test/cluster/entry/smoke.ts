import { Cluster } from '../harness/cluster.ts'
import { BankPipeline } from '../harness/bank-pipeline.ts'
import { LocalStack } from '../harness/stack.ts'
import { sleep } from '../harness/timing.ts'
const t0 = performance.now()
const say = (s: string) => console.log(((performance.now() - t0) / 1000).toFixed(1), s)
const stack = await LocalStack.start()
say('stack up ' + stack.folder)
let cluster: Cluster | undefined
try {
  cluster = await Cluster.start({ stack, name: 'smoke', coordinators: 2, workers: 2 })
  say('cluster up')
  const bank = await BankPipeline.start(cluster, { name: 'bank', seed: 's1' })
  say('flowing')
  bank.log.start(150); bank.watch()
  await sleep(5000)
  const n = await bank.newestCheckpoint()
  say('kill w1, newest ' + n)
  await cluster.workers[0]!.kill()
  const n2 = await bank.untilFlowing(n)
  say('new checkpoint ' + n2)
  await sleep(3000)
  const l = await cluster.leader()
  say('kill leader ' + l.process.name)
  const n3 = await bank.newestCheckpoint()
  await l.process.kill()
  say('new ' + await bank.untilFlowing(n3 + 1n))
  await sleep(2000)
  await bank.log.stop()
  say('stopped; sent ' + bank.log.sent)
  say('verdict ' + JSON.stringify(await bank.verdict()))
  say('watch ' + bank.polls + JSON.stringify(await bank.unwatch()))
  await bank.close()
} catch (e) { console.error(e); console.log(cluster?.tails(40)) }
finally { await cluster?.close(); if (!process.env['KEEP']) await stack.wipe(); say('done') }
