/** Tests that the remainder of a rejected body is read slowly, for at most 5 seconds. */
import { EventEmitter } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals'
import { drain } from '../../../../http/body/drain.ts'

const chunk = Buffer.alloc(64 * 1024)

beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate'] }))
afterEach(() => void jest.useRealTimers())

function aRequest() {
  const request = Object.assign(new PassThrough({ highWaterMark: 16 * 1024 * 1024 }), {
    ...{ complete: false, socket: new EventEmitter() }
  })
  return request
}

const runEventLoop = async (count = 20): Promise<void> => {
  for (let n = 0; n < count; n++) await new Promise((resolve) => void setImmediate(resolve))
}

test('reads the first chunk at once and pauses after each further chunk', async () => {
  const request = aRequest()
  for (let n = 0; n < 4; n++) request.write(chunk)
  const drained = drain(request as unknown as IncomingMessage)
  await runEventLoop()
  expect(request.isPaused()).toBe(true)
  const read: number[] = []
  for (let n = 0; n < 3; n++) {
    read.push(4 - request.readableLength / chunk.length)
    await jest.advanceTimersByTimeAsync(16)
    await runEventLoop()
  }
  expect(read).toEqual([2, 3, 4])
  request.end()
  await runEventLoop()
  await jest.advanceTimersByTimeAsync(16)
  await runEventLoop()
  expect(await drained).toBe(true)
})

test('gives up when the body does not end within 5 seconds', async () => {
  const request = aRequest()
  const drained = drain(request as unknown as IncomingMessage)
  request.write(chunk)
  await jest.advanceTimersByTimeAsync(5000)
  expect(await drained).toBe(false)
})
