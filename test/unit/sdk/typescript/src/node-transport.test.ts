/** Tests the Node transport, including reused connections. */
import { describe, expect, test } from '@jest/globals'
import { createNodeTransport } from '../../../../../sdk/typescript/src/node-transport.ts'
import { listen, listenRaw } from '../../../../support/sdk/listen.ts'
import { testTransport } from '../../../../support/sdk/transport-contract.ts'

testTransport('node:http', createNodeTransport())

function exchange(url: string, body = '{}') {
  return { url, headers: {}, body, timeoutMs: 10_000, signal: new AbortController().signal }
}

describe('connections', () => {
  test('are reused for the next request', async () => {
    const transport = createNodeTransport()
    const ports = new Set<number | undefined>()
    const url = await listen((request, response) => {
      ports.add(request.socket.remotePort)
      request.resume().on('end', () => response.writeHead(202).end('{}'))
    })
    for (let turn = 0; turn < 3; turn++) await transport(exchange(url))
    expect(ports.size).toBe(1)
  })

  test('accept a response that arrives before the request is sent', async () => {
    const url = await listenRaw((socket) => {
      socket.once('data', () => {
        socket.pause()
        socket.end('HTTP/1.1 503 Busy\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}')
      })
    })
    const answer = await createNodeTransport()(exchange(url, 'x'.repeat(5_000_000)))
    expect(answer).toMatchObject({ status: 503, body: '{}' })
  })
})
