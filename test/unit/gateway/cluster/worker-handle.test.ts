/** Tests how the primary tracks one worker. */
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

test('reports the missing checks of its last report', async () => {
  const { worker, handle } = employ()
  worker.serve()
  worker.missing = ['kafka']
  await worker.report()
  expect(handle.missing()).toEqual(['kafka'])
  worker.missing = []
  await worker.report()
  expect(handle.missing()).toEqual([])
})

test('a worker is missing after five silent seconds, until its next message', async () => {
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

test('a refresh waits for the requested report', async () => {
  const { worker, handle } = employ()
  expect(handle.metrics()).toEqual([])
  await handle.refresh()
  expect(worker.received).toEqual([{ kind: 'report', requestId: 1 }])
  expect(handle.metrics()).toEqual(await worker.metrics.snapshot())
})

test('a refresh waits at most a second for a frozen worker', async () => {
  const { worker, handle } = employ()
  await worker.report()
  worker.answers = false
  const refreshed = handle.refresh()
  jest.advanceTimersByTime(1000)
  await refreshed
  expect(handle.metrics()).not.toEqual([])
})

test('a refresh does not wait for a worker that exits', async () => {
  const { worker, handle } = employ()
  worker.answers = false
  const refreshed = handle.refresh()
  worker.kill()
  await refreshed
  await handle.ended
  expect(jest.getTimerCount()).toBe(0)
})

test('kills a worker that hangs for half a minute', async () => {
  const { worker, handle } = employ()
  await worker.report()
  worker.answers = false
  await jest.advanceTimersByTimeAsync(30_000)
  expect(worker.received).toEqual([{ kind: 'report', requestId: 1 }])
  await jest.advanceTimersByTimeAsync(1000)
  expect(await handle.ended).toEqual({ exitCode: null, signal: 'SIGKILL' })
})

test('a worker that is starting counts as missing but is not killed', async () => {
  const { worker, handle } = employ()
  for (let seconds = 0; seconds < 600; seconds += 20) {
    worker.start()
    await jest.advanceTimersByTimeAsync(20_000)
  }
  expect([worker.received, handle.missing()]).toEqual([[], ['worker']])
})

test('kills a worker that sends nothing for two minutes', async () => {
  const { worker, handle } = employ()
  worker.answers = false
  await jest.advanceTimersByTimeAsync(119_999)
  expect(worker.received).toEqual([])
  await jest.advanceTimersByTimeAsync(1001)
  expect(await handle.ended).toEqual({ exitCode: null, signal: 'SIGKILL' })
})

test('forwards `leave`, and the worker continues to serve', () => {
  const { worker, handle } = employ()
  handle.leave()
  expect(worker.received).toEqual([{ kind: 'leave' }])
})

test('does not kill a silent worker that responds to a request', async () => {
  const { worker, handle } = employ()
  worker.serve()
  await worker.report()
  await jest.advanceTimersByTimeAsync(31_000)
  expect(handle.missing()).toEqual([])
  expect(worker.received).toEqual([{ kind: 'report', requestId: 1 }])
})

test('forwards `stop`, and kills the worker on request', async () => {
  const { worker, handle } = employ()
  worker.answers = false
  handle.stop()
  expect(worker.received).toEqual([{ kind: 'stop' }])
  handle.kill()
  expect(await handle.ended).toEqual({ exitCode: null, signal: 'SIGKILL' })
})
