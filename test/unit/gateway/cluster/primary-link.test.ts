/** A worker's end of the line to its primary. */
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
  const report = () => link.report({ metrics: { snapshot }, notReady: () => ['log'] })
  return { worker, link, report }
}

function aReport(asked: number | null, looks: number): FromWorker {
  const metrics = [{ name: 'looks', type: String(looks) }]
  return { kind: 'report', asked, missing: ['log'], metrics }
}

test('reports at once, and twice a second from then on', async () => {
  const { worker, report } = connect()
  report()
  await jest.advanceTimersByTimeAsync(1000)
  expect(worker.said).toEqual([aReport(null, 1), aReport(null, 2), aReport(null, 3)])
})

test('answers what it is asked, as soon as it has something to report', async () => {
  const { worker, report } = connect()
  worker.emit('message', { kind: 'report', asked: 1 })
  expect(worker.said).toEqual([])
  report()
  worker.emit('message', { kind: 'report', asked: 2 })
  await jest.advanceTimersByTimeAsync(0)
  expect(worker.said).toEqual([aReport(null, 1), aReport(2, 2)])
})

test('says that it serves', () => {
  const { worker, link } = connect()
  link.serves()
  expect(worker.said).toEqual([{ kind: 'serves' }])
})

test('is asked to stop by the primary', async () => {
  const { worker, link } = connect()
  worker.emit('message', { kind: 'stop' })
  expect(await link.stopAsked).toBe('the primary stops')
})

test('is told that the primary leaves, and goes on', () => {
  const { worker, link } = connect()
  expect(link.isLeaving()).toBe(false)
  worker.emit('message', { kind: 'leave' })
  expect(link.isLeaving()).toBe(true)
})

test('is asked to stop by the end of the primary, and does not end on the spot', async () => {
  const { worker, link } = connect()
  worker.lose()
  expect(await link.stopAsked).toBe('the primary is gone')
  expect(worker.exitedAfterDisconnect).toBe(true)
})

test('says nothing into a closed line', async () => {
  const { worker, link, report } = connect()
  report()
  await jest.advanceTimersByTimeAsync(0)
  worker.lose()
  link.serves()
  await jest.advanceTimersByTimeAsync(1000)
  await link.close()
  expect(worker.said).toHaveLength(1)
})

test('reports a last time before it closes', async () => {
  const { worker, link, report } = connect()
  report()
  await link.close()
  expect(worker.said).toEqual([aReport(null, 1), aReport(null, 2)])
  expect(worker.connected).toBe(false)
  expect(jest.getTimerCount()).toBe(0)
})
