/** Tests tracking the newest request of a connection without keeping requests in memory. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { Agent, request as send } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'
import { jsonReply } from '../../../../http/call.ts'
import {
  forgetRequest,
  isNewestRequest,
  noteRequest
} from '../../../../http/admission/newest-request.ts'
import { collectGarbage } from '../../../support/collect-garbage.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { aRoute, serve } from '../serving.ts'
import type { Served } from '../serving.ts'

function noted(socket: Socket): IncomingMessage {
  const request = { socket } as IncomingMessage
  noteRequest(request)
  return request
}

test('the last request is the newest, with or without a response', () => {
  const socket = new Socket()
  const [first, second] = [noted(socket), noted(socket)]
  expect([isNewestRequest(first), isNewestRequest(second)]).toEqual([false, true])

  // Closing the connection after the first response would drop the response to the second request.
  forgetRequest(second)
  expect(isNewestRequest(first)).toBe(false)
})

test('a response to an earlier request changes nothing', () => {
  const socket = new Socket()
  const [first, second] = [noted(socket), noted(socket)]
  forgetRequest(first)
  expect([isNewestRequest(first), isNewestRequest(second)]).toEqual([false, true])
})

test('after a response, the next request is the newest', () => {
  const socket = new Socket()
  forgetRequest(noted(socket))
  expect(isNewestRequest(noted(socket))).toBe(true)
})

describe('an idle connection', () => {
  const bodies: WeakRef<Buffer>[] = []
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  let served: Served

  beforeAll(async () => {
    const route = aRoute('post', '/', async (call) => {
      bodies.push(new WeakRef(await call.useBody({}, async (body) => body)))
      return jsonReply(200, '{}')
    })
    served = await serve([{ ...route, surface: 'ingest' }])
  })
  afterAll(async () => {
    agent.destroy()
    await served.close()
  })

  test.each([
    ['sent at once', 100],
    ['sent in parts', 1_000_000]
  ])('does not keep a body %s', async (_how, bytes) => {
    bodies.length = 0
    await post(served.url, agent, Buffer.alloc(bytes, 'a'))
    expect(bodies).toHaveLength(1)
    await waitUntil('the body is garbage-collected', async () => {
      await collectGarbage()
      return bodies[0]?.deref() === undefined
    })
    // The connection is still open.
    expect(Object.values(agent.freeSockets)).toHaveLength(1)
  })
})

function post(url: string, agent: Agent, body: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = send(url, { method: 'POST', agent }, (answer) => {
      answer.resume().on('end', resolve)
    })
    sent.on('error', reject).end(body)
  })
}
