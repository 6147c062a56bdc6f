import type { AdminHandler } from '@onceflow/ports'

/** The admin API of whoever leads now: each call asks anew; NOT_LEADER where nobody does. */
export function relayAdmin(current: () => AdminHandler): AdminHandler {
  return {
    createPipeline: async (request) => current().createPipeline(request),
    getPipeline: async (name) => current().getPipeline(name),
    listPipelines: async (page) => current().listPipelines(page),
    updatePipeline: async (request) => current().updatePipeline(request),
    deletePipeline: async (request) => current().deletePipeline(request),
    pausePipeline: async (request) => current().pausePipeline(request),
    resumePipeline: async (request) => current().resumePipeline(request),
    listCheckpoints: async (pipeline, page) => current().listCheckpoints(pipeline, page),
    getCheckpoint: async (pipeline, number) => current().getCheckpoint(pipeline, number),
    listTransactions: async (pipeline, page) => current().listTransactions(pipeline, page),
    listWorkers: async (page) => current().listWorkers(page),
    getWorker: async (worker) => current().getWorker(worker),
    getStatus: async () => current().getStatus(),
  }
}
