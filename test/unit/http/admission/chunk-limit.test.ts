/** Bodies in tiny chunks are refused early. */
import { afterEach, expect, test } from '@jest/globals'
import { jsonReply } from '../../../../http/call.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { aRoute, converse, serve } from '../serving.ts'
import type { Served } from '../serving.ts'

let served: Served

afterEach(() => served.close())

async function start(): Promise<void> {
  const read = aRoute('post', '/', async (call) =>
    jsonReply(200, String((await call.useBody({}, async (body) => body)).length))
  )
  served = await serve([read])
}

const head = 'POST / HTTP/1.1\r\nhost: x\r\n'
const chunked = `${head}connection: close\r\ntransfer-encoding: chunked\r\n\r\n`
const chunksOf = (text: string, count: number): string =>
  `${text.length.toString(16)}\r\n${text}\r\n`.repeat(count)

test('a thousand tiny chunks are a body like any other', async () => {
  await start()
  expect(await converse(served.port, `${chunked}${chunksOf('x', 1000)}0\r\n\r\n`)).toMatch(/1000$/)
})

test('more of them are refused, and the connection is closed', async () => {
  await start()
  const answer = await converse(served.port, `${chunked}${chunksOf('x', 200_000)}`)
  expect(answer === '' || answer.includes('malformed_request')).toBe(true)
  await waitUntil('nothing is held', () => served.door.bodies.bytes() === 0)
  expect(served.door.admission.inProgress()).toBe(0)
})

test('nobody takes what came before for the whole body', async () => {
  await start()
  const whole = `${chunked}${chunksOf('x', 2000)}0\r\n\r\n`
  expect(await converse(served.port, whole)).toContain('malformed_request')
  await waitUntil('its place is free', () => served.door.admission.inProgress() === 0)
})

test('so are many small ones, but not many of a usual size', async () => {
  await start()
  const small = `${chunked}${chunksOf('x'.repeat(32), 3000)}0\r\n\r\n`
  expect(await converse(served.port, small)).toContain('malformed_request')
  const usual = `${chunked}${chunksOf('x'.repeat(80), 30_000)}0\r\n\r\n`
  expect(await converse(served.port, usual)).toMatch(/2400000$/)
})
