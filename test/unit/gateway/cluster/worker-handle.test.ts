/** One worker as its primary knows it. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { createWorkerHandle } from '../../../../gateway/cluster/worker-handle.ts'
import { FakeWorker } from './fakes.ts'

beforeEach(() => {
  jest.useFakeTimers()
})

afterEach(() => {
  jest.useRealTimers()
})

function employ() {
  const worker = new FakeWorker(7)
  return { worker, handle: createWorkerHandle(worker) }
}

test('a worker is missing until it serves and has reported', async () => {
  const { worker, handle } = employ()
  expect([handle.missing(), handle.hasServed()]).toEqual([['worker'], false])
  await worker.report()
  expect(handle.missing()).toEqual(['worker'])
  worker.serve()
  expect([handle.missing(), handle.hasServed()]).toEqual([[], true])
})

test('what it misses is what it last reported', async () => {
  const { worker, handle } = employ()
  worker.serve()
  worker.missing = ['log']
  await worker.report()
  expect(handle.missing()).toEqual(['log'])
  worker.missing = []
  await worker.report()
  expect(handle.missing()).toEqual([])
})

test('one that says nothing for five seconds is missing, until it says something', async () => {
  const { worker, handle } = employ()
  worker.serve()
  await worker.report()
  jest.advanceTimersByTime(5000)
  expect(handle.missing()).toEqual([])
  jest.advanceTimersByTime(1)
  expect(handle.missing()).toEqual(['worker'])
  await worker.report()
  expect(handle.missing()).toEqual([])
})

test('a refresh waits for the report that it asked for', async () => {
  const { worker, handle } = employ()
  expect(handle.metrics()).toEqual([])
  await handle.refresh()
  expect(worker.told).toEqual([{ kind: 'report', asked: 1 }])
  expect(handle.metrics()).toEqual(await worker.metrics.snapshot())
})

test('a refresh does not wait for a frozen worker longer than a second', async () => {
  const { worker, handle } = employ()
  await worker.report()
  worker.answers = false
  const refreshed = handle.refresh()
  jest.advanceTimersByTime(1000)
  await refreshed
  expect(handle.metrics()).not.toEqual([])
})

test('a refresh does not wait for a worker that ends', async () => {
  const { worker, handle } = employ()
  worker.answers = false
  const refreshed = handle.refresh()
  worker.kill()
  await refreshed
  await handle.ended
  expect(jest.getTimerCount()).toBe(0)
})

test('one that hangs for half a minute is ended', async () => {
  const { worker, handle } = employ()
  await worker.report()
  worker.answers = false
  await jest.advanceTimersByTimeAsync(30_000)
  expect(worker.told).toEqual([{ kind: 'report', asked: 1 }])
  await jest.advanceTimersByTimeAsync(1000)
  expect(await handle.ended).toEqual({ exitCode: null, signal: 'SIGKILL' })
})

test('one that says that it starts is left alone, and is missing', async () => {
  const { worker, handle } = employ()
  for (let seconds = 0; seconds < 600; seconds += 20) {
    worker.start()
    await jest.advanceTimersByTimeAsync(20_000)
  }
  expect([worker.told, handle.missing()]).toEqual([[], ['worker']])
})

test('one that never says anything is ended after two minutes', async () => {
  const { worker, handle } = employ()
  worker.answers = false
  await jest.advanceTimersByTimeAsync(119_999)
  expect(worker.told).toEqual([])
  await jest.advanceTimersByTimeAsync(1001)
  expect(await handle.ended).toEqual({ exitCode: null, signal: 'SIGKILL' })
})

test('is told to leave, and goes on', () => {
  const { worker, handle } = employ()
  handle.leave()
  expect(worker.told).toEqual([{ kind: 'leave' }])
})

test('one that answers although nothing was heard of it is left alone', async () => {
  const { worker, handle } = employ()
  worker.serve()
  await worker.report()
  await jest.advanceTimersByTimeAsync(31_000)
  expect(handle.missing()).toEqual([])
  expect(worker.told).toEqual([{ kind: 'report', asked: 1 }])
})

test('is told to stop, or ended', async () => {
  const { worker, handle } = employ()
  worker.answers = false
  handle.stop()
  expect(worker.told).toEqual([{ kind: 'stop' }])
  handle.kill()
  expect(await handle.ended).toEqual({ exitCode: null, signal: 'SIGKILL' })
})
