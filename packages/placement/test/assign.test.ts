import { subtask } from '@onceflow/model'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assignTasks, isUnbalanced, type PlacedTask, type PlacementRequest } from '../src/index.ts'

const place = (topic: string, partition: number) => ({ topic, topicId: '', partition })
const worker = (key: string, load = 0) => ({ key, load })
const request = (change: Partial<PlacementRequest> = {}): PlacementRequest => ({
  partitions: [0, 1, 2, 3].map((index) => place('t', index)),
  together: new Set(),
  parallelism: undefined,
  workers: [worker('a'), worker('b')],
  current: [],
  ...change,
})

const requests: fc.Arbitrary<PlacementRequest> = fc
  .record({
    topics: fc.dictionary(fc.constantFrom('s', 't', 'u'), fc.integer({ min: 1, max: 6 })),
    together: fc.subarray(['s', 't', 'u']),
    parallelism: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
    workers: fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { minLength: 1 }),
    current: fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'gone'), { maxLength: 10 }),
  })
  .map(({ topics, together, parallelism, workers, current }) => ({
    partitions: Object.entries(topics).flatMap(([topic, count]) =>
      Array.from({ length: count }, (_, index) => place(topic, index)),
    ),
    together: new Set(together),
    parallelism,
    workers: workers.map((key) => worker(key)),
    current: current.map((key, index) => ({
      subtask: subtask(index),
      worker: key,
      partitions: [],
    })),
  }))

const countsOf = (tasks: readonly PlacedTask[], workers: PlacementRequest['workers']) =>
  workers.map(({ key }) => tasks.filter((task) => task.worker === key).length)

test('PL-1, PL-3: every partition has one task, every task one worker that was given', () => {
  fc.assert(
    fc.property(requests, (asked) => {
      const tasks = assignTasks(asked)
      const texts = tasks.flatMap((task) => task.partitions.map((p) => `${p.topic}/${p.partition}`))
      expect(texts.length).toBe(asked.partitions.length)
      expect(new Set(texts).size).toBe(texts.length)
      for (const task of tasks) {
        expect(task.partitions.length).toBeGreaterThan(0)
        expect(asked.workers.map(({ key }) => key)).toContain(task.worker)
      }
      for (const topic of asked.together) {
        const owners = tasks.filter((task) => task.partitions.some((p) => p.topic === topic))
        expect(owners.length).toBeLessThanOrEqual(1)
      }
      expect(tasks.map((task) => task.subtask)).toEqual(tasks.map((_, index) => index))
    }),
  )
})

test('PL-2: the order in which partitions and workers are named changes nothing', () => {
  fc.assert(
    fc.property(requests, (asked) => {
      const turned = {
        ...asked,
        partitions: [...asked.partitions].reverse(),
        workers: [...asked.workers].reverse(),
      }
      expect(assignTasks(turned)).toEqual(assignTasks(asked))
    }),
  )
})

test('PL-4: what is answered is balanced, so a rebalance ends', () => {
  fc.assert(
    fc.property(requests, (asked) => {
      const tasks = assignTasks(asked)
      const counts = countsOf(tasks, asked.workers)
      expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1)
      expect(isUnbalanced(tasks, asked.workers)).toBe(false)
      expect(assignTasks({ ...asked, current: tasks })).toEqual(tasks)
    }),
  )
})

describe('by hand', () => {
  test('PL-4: two and two tasks on three workers become two, one and one', () => {
    const current = assignTasks(request())
    const workers = [worker('a'), worker('b'), worker('c')]
    expect(isUnbalanced(current, workers)).toBe(true)
    const tasks = assignTasks(request({ workers, current }))
    expect([...countsOf(tasks, workers)].sort()).toEqual([1, 1, 2])
  })

  test('PL-5: only the tasks of a worker that is gone move', () => {
    const workers = ['a', 'b', 'c', 'd'].map((key) => worker(key))
    const current = assignTasks(request({ workers }))
    const tasks = assignTasks(request({ workers: workers.slice(0, 3), current }))
    const moved = tasks.filter((task, index) => task.worker !== current[index]?.worker)
    expect(moved.length).toBe(1)
  })

  test('PL-3: tasks by default, by wish, and never more than units', () => {
    const many = Array.from({ length: 20 }, (_, index) => place('t', index))
    expect(assignTasks(request({ partitions: many })).length).toBe(8)
    expect(assignTasks(request({ parallelism: 3 })).length).toBe(3)
    expect(assignTasks(request({ parallelism: 30 })).length).toBe(4)
    expect(assignTasks(request({ together: new Set(['t']) })).length).toBe(1)
  })

  test('PL-1: without a worker or a partition there is nothing', () => {
    expect(assignTasks(request({ workers: [] }))).toEqual([])
    expect(assignTasks(request({ partitions: [] }))).toEqual([])
  })

  test('PL-4: a worker that is busy with other pipelines comes last', () => {
    const [task] = assignTasks(
      request({ parallelism: 1, workers: [worker('a', 3), worker('b', 1)] }),
    )
    expect(task?.worker).toBe('b')
  })

  test('PL-6: a task on a worker that is not to have it is worth a pause, if there is another', () => {
    const current = assignTasks(request())
    expect(isUnbalanced(current, [worker('b')])).toBe(true)
    expect(isUnbalanced(current, [])).toBe(false)
  })
})
