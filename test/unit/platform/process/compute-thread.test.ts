/** Tests that a compute thread leaves the event loop free, ends slow tasks, and restarts. */
import { afterAll, expect, test } from '@jest/globals'
import { createComputeThread } from '../../../../platform/process/compute-thread.ts'
import type { TestTasks } from './compute-tasks.ts'

const thread = createComputeThread<TestTasks>(new URL('compute-tasks.ts', import.meta.url))
const limitMs = 5000

afterAll(() => thread.close())

test('runs tasks in order and reports the CPU time of each', async () => {
  const answers = await Promise.all([
    thread.run('repeat', 'a', limitMs),
    thread.run('repeat', 'b', limitMs)
  ])
  expect(answers.map(({ output }) => output)).toEqual(['aa', 'bb'])
  for (const { computedMs } of answers) expect(computedMs).toBeGreaterThan(0)
})

test('the event loop runs while a task computes, until the task is ended', async () => {
  let isOver = false
  let turns = 0
  const count = (): void => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const hanging = thread.run('hang', undefined, 200)
  await expect(hanging).rejects.toMatchObject({ name: 'CpuLimitError' })
  isOver = true
  // If the task ran on the event loop, there would be only one iteration.
  expect(turns).toBeGreaterThan(100)
  expect(await thread.run('repeat', 'c', limitMs)).toMatchObject({ output: 'cc' })
})

test('rethrows the error of a task to its caller', async () => {
  await expect(thread.run('fail', 'no', limitMs)).rejects.toThrow('no')
  expect(await thread.run('repeat', 'd', limitMs)).toMatchObject({ output: 'dd' })
})

test('a task that runs out of memory ends its thread; the next one gets a new thread', async () => {
  const hoarding = thread.run('hoard', undefined, 60_000)
  await expect(hoarding).rejects.toMatchObject({ name: 'CpuLimitError', computedMs: 60_000 })
  expect(await thread.run('repeat', 'e', limitMs)).toMatchObject({ output: 'ee' })
})

test('reports an internal error as such, not as a slow task', async () => {
  const broken = thread.run('unanswerable', undefined, 60_000)
  await expect(broken).rejects.toThrow('could not be cloned')
  expect(await thread.run('repeat', 'f', limitMs)).toMatchObject({ output: 'ff' })
})
