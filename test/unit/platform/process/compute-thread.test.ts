/** A compute thread works beside the event loop, ends what takes too long, and outlives it. */
import { afterAll, expect, test } from '@jest/globals'
import { createComputeThread } from '../../../../platform/process/compute-thread.ts'
import type { TestTasks } from './compute-tasks.ts'

const thread = createComputeThread<TestTasks>(new URL('compute-tasks.ts', import.meta.url))
const limitMs = 5000

afterAll(() => thread.close())

test('it runs tasks in their order and says what each computed', async () => {
  const answers = await Promise.all([
    thread.run('repeat', 'a', limitMs),
    thread.run('repeat', 'b', limitMs)
  ])
  expect(answers.map(({ output }) => output)).toEqual(['aa', 'bb'])
  for (const { computedMs } of answers) expect(computedMs).toBeGreaterThan(0)
})

test('the event loop goes on while a task computes, until the task is ended', async () => {
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
  // On the event loop itself there would be one turn.
  expect(turns).toBeGreaterThan(100)
  expect(await thread.run('repeat', 'c', limitMs)).toMatchObject({ output: 'cc' })
})

test('what a task throws is thrown to whoever asked for it', async () => {
  await expect(thread.run('fail', 'no', limitMs)).rejects.toThrow('no')
  expect(await thread.run('repeat', 'd', limitMs)).toMatchObject({ output: 'dd' })
})

test('a task that needs too much memory ends its thread; the next one has a new one', async () => {
  const hoarding = thread.run('hoard', undefined, 60_000)
  await expect(hoarding).rejects.toMatchObject({ name: 'CpuLimitError', computedMs: 60_000 })
  expect(await thread.run('repeat', 'e', limitMs)).toMatchObject({ output: 'ee' })
})

test('a fault of ours is told as it is, and is not taken for a task that is too slow', async () => {
  const broken = thread.run('unanswerable', undefined, 60_000)
  await expect(broken).rejects.toThrow('could not be cloned')
  expect(await thread.run('repeat', 'f', limitMs)).toMatchObject({ output: 'ff' })
})
