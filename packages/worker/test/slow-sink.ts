import { checkpointNumber } from '@onceflow/model'
import type { AnySink, Clock, SinkFactory } from '@onceflow/ports'
import type { SeededRandom } from '@onceflow/twins'

/** A sink whose calls take time before and after they have their effect, as over a network. */
export function slowSinkFactory(
  inner: SinkFactory,
  world: { readonly clock: Clock; readonly random: SeededRandom },
): SinkFactory {
  const pause = (): Promise<void> =>
    new Promise((resolve) => {
      // Mostly quick, sometimes slow enough for a leader to give the worker up meanwhile.
      const delayMs = world.random.below(world.random.below(20) === 0 ? 3_000 : 15)
      world.clock.after(delayMs, resolve)
    })
  const slow =
    <In extends readonly unknown[], Out>(work: (...input: In) => Promise<Out>) =>
    async (...input: In): Promise<Out> => {
      await pause()
      try {
        return await work(...input)
      } finally {
        await pause()
      }
    }
  return {
    ...inner,
    create: (request) => {
      const sink = inner.create(request)
      const wrapped: AnySink = {
        input: sink.input,
        transactionSerializer: sink.transactionSerializer,
        contextSerializer: sink.contextSerializer,
        openTask: slow((scope, restored) => sink.openTask(scope, restored)),
        resolveTable: slow((source, declared) => sink.resolveTable(source, declared)),
        beginTransaction: (context) => sink.beginTransaction(context),
        invoke: slow((txn, batch, context) => sink.invoke(txn, batch, context)),
        preCommit: slow((txn, order) => sink.preCommit(txn, order)),
        commit: slow((txn, permit) => sink.commit(txn, permit)),
        abort: slow((txn) => sink.abort(txn)),
        openRecovery: slow((scope) => sink.openRecovery(scope)),
        recoverAndCommit: slow((decided) => sink.recoverAndCommit(decided)),
        recoverAndAbort: slow((decided) => sink.recoverAndAbort(decided)),
        // A prepared transaction holds the fence's row, so the fence is raised only over none: who
        // sealed after the strays were rolled back is rolled back now, in the same moment.
        finishRecovery: slow(async (expectation) => {
          await sink.recoverAndAbort({ open: [], known: [], retireMark: checkpointNumber(0n) })
          return await sink.finishRecovery(expectation)
        }),
        close: () => sink.close(),
      }
      return wrapped
    },
  }
}
