/** Tests that a body with too many tiny chunks is rejected. */
import { afterEach, expect, test } from '@jest/globals'
import { jsonReply } from '../../../../http/call.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { aRoute, converse, serve } from '../serving.ts'
import type { Served } from '../serving.ts'

let served: Served

afterEach(() => served.close())

async function start(): Promise<void> {
  const read = aRoute('post', '/', async (call) =>
    jsonReply(200, await call.useBody({}, async (body) => String(body.length)))
  )
  served = await serve([read])
}

const head = 'POST / HTTP/1.1\r\nhost: x\r\n'
const chunked = `${head}connection: close\r\ntransfer-encoding: chunked\r\n\r\n`
const chunksOf = (text: string, count: number): string =>
  `${text.length.toString(16)}\r\n${text}\r\n`.repeat(count)

test('accepts a thousand tiny chunks', async () => {
  await start()
  expect(await converse(served.port, `${chunked}${chunksOf('x', 1000)}0\r\n\r\n`)).toMatch(/1000$/)
})

test('rejects more tiny chunks and closes the connection', async () => {
  await start()
  const answer = await converse(served.port, `${chunked}${chunksOf('x', 200_000)}`)
  expect(answer === '' || answer.includes('malformed_request')).toBe(true)
  await waitUntil('nothing is held', () => served.httpLimits.bodies.bytes() === 0)
  expect(served.httpLimits.admission.inProgress()).toBe(0)
})

test('never takes a partial body for the whole', async () => {
  await start()
  const whole = `${chunked}${chunksOf('x', 2000)}0\r\n\r\n`
  expect(await converse(served.port, whole)).toContain('malformed_request')
  await waitUntil(
    'it is no longer in progress',
    () => served.httpLimits.admission.inProgress() === 0
  )
})

test('rejects many small chunks, but not many of a usual size', async () => {
  await start()
  const small = `${chunked}${chunksOf('x'.repeat(32), 3000)}0\r\n\r\n`
  expect(await converse(served.port, small)).toContain('malformed_request')
  const usual = `${chunked}${chunksOf('x'.repeat(80), 30_000)}0\r\n\r\n`
  expect(await converse(served.port, usual)).toMatch(/2400000$/)
})
