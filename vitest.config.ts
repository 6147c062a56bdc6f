import { defaultServerConditions } from 'vite'
import { defineConfig } from 'vitest/config'

// Tests read the sources of the workspace's packages, so they need no build; the processes that
// some of them start run from dist.
const conditions = ['source', ...defaultServerConditions]
const resolve = { conditions }
const ssr = { resolve: { conditions } }

const serviceTests = [
  'packages/*/test/**/*.service.test.ts',
  'test/{cluster,conformance,end-to-end,stack}/**/*.test.ts',
]
const ignored = ['**/node_modules/**', '**/dist/**', '**/.cache/**']

// Two groups, one after the other: unit tests share the machine's two cores; tests that start a
// service run one file at a time, since a service that has to share cores answers late.
export default defineConfig({
  test: {
    projects: [
      {
        resolve,
        ssr,
        test: {
          name: 'unit',
          include: ['packages/*/test/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...ignored, ...serviceTests],
          maxWorkers: 2,
          testTimeout: 30_000,
          sequence: { groupOrder: 0 },
        },
      },
      {
        resolve,
        ssr,
        test: {
          name: 'service',
          include: serviceTests,
          exclude: ignored,
          fileParallelism: false,
          testTimeout: 120_000,
          hookTimeout: 180_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
