/** Tests a worker's link to its primary. */
import { EventEmitter } from 'node:events'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import type { FromWorker } from '../../../../gateway/cluster/messages.ts'
import { createPrimaryLink } from '../../../../gateway/cluster/primary-link.ts'
import type { LinkedWorker } from '../../../../gateway/cluster/primary-link.ts'

class FakeClusterWorker extends EventEmitter {
  readonly said: FromWorker[] = []
  exitedAfterDisconnect = false
  connected = true
  readonly process = { disconnect: () => this.lose() }

  isConnected(): boolean {
    return this.connected
  }

  send(message: FromWorker, done: () => void): boolean {
    this.said.push(message)
    done()
    return true
  }

  lose(): void {
    this.connected = false
    this.emit('disconnect')
  }
}

beforeEach(() => {
  jest.useFakeTimers()
})

afterEach(() => {
  jest.useRealTimers()
})

function connect() {
  const worker = new FakeClusterWorker()
  const link = createPrimaryLink(worker as unknown as LinkedWorker)
  let looks = 0
  const snapshot = () => Promise.resolve([{ name: 'looks', type: String((looks += 1)) }])
  const report = () => link.report({ metrics: { snapshot }, notReady: () => ['kafka'] })
  return { worker, link, report }
}

function aReport(requestId: number | null, looks: number): FromWorker {
  const metrics = [{ name: 'looks', type: String(looks) }]
  return { kind: 'report', requestId, missing: ['kafka'], metrics }
}

test('reports at once, and then twice a second', async () => {
  const { worker, report } = connect()
  report()
  await jest.advanceTimersByTimeAsync(1000)
  expect(worker.said).toEqual([aReport(null, 1), aReport(null, 2), aReport(null, 3)])
})

test('answers requests for a report as soon as it has something to report', async () => {
  const { worker, report } = connect()
  worker.emit('message', { kind: 'report', requestId: 1 })
  expect(worker.said).toEqual([])
  report()
  worker.emit('message', { kind: 'report', requestId: 2 })
  await jest.advanceTimersByTimeAsync(0)
  expect(worker.said).toEqual([aReport(null, 1), aReport(2, 2)])
})

test('reports that it serves', () => {
  const { worker, link } = connect()
  link.serves()
  expect(worker.said).toEqual([{ kind: 'serves' }])
})

test('stops when the primary requests it', async () => {
  const { worker, link } = connect()
  worker.emit('message', { kind: 'stop' })
  expect(await link.stopRequested).toBe('the primary is stopping')
})

test('continues to serve after the message `leave`', () => {
  const { worker, link } = connect()
  expect(link.isLeaving()).toBe(false)
  worker.emit('message', { kind: 'leave' })
  expect(link.isLeaving()).toBe(true)
})

test('stops when the primary exits, but not at once', async () => {
  const { worker, link } = connect()
  worker.lose()
  expect(await link.stopRequested).toBe('the primary has exited')
  expect(worker.exitedAfterDisconnect).toBe(true)
})

test('sends nothing over a closed connection', async () => {
  const { worker, link, report } = connect()
  report()
  await jest.advanceTimersByTimeAsync(0)
  worker.lose()
  link.serves()
  await jest.advanceTimersByTimeAsync(1000)
  await link.close()
  expect(worker.said).toHaveLength(1)
})

test('sends a last report before it closes', async () => {
  const { worker, link, report } = connect()
  report()
  await link.close()
  expect(worker.said).toEqual([aReport(null, 1), aReport(null, 2)])
  expect(worker.connected).toBe(false)
  expect(jest.getTimerCount()).toBe(0)
})
