/** Tests the minimal HTTP client: parsing responses, and reusing or reopening a connection. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from '@jest/globals'
import { parseResponse, createLeanConnection } from '../../../../bench/load/lean-connection.ts'
import { waitUntil } from '../../../../stack/wait-until.ts'

test.each([
  [
    'HTTP/1.1 202 Accepted\r\ncontent-length: 2\r\n\r\nok',
    { status: 202, isLast: false, retryAfterMs: 0 }
  ],
  ['HTTP/1.1 204 No Content\r\n\r\n', { status: 204, isLast: false, retryAfterMs: 0 }],
  [
    'HTTP/1.1 503 Busy\r\nConnection: close\r\nRetry-After: 2\r\nContent-Length: 0\r\n\r\n',
    { status: 503, isLast: true, retryAfterMs: 2000 }
  ],
  ['HTTP/1.1 202 Accepted\r\ncontent-length: 3\r\n\r\nok', null],
  ['HTTP/1.1 202 Accepted\r\ncontent-len', null]
])('parses %j', (text, answer) => {
  expect(parseResponse(text)).toEqual(answer)
})

const server = createServer((request, response) => {
  request.resume().on('end', () => {
    if (request.url === '/break') request.socket.destroy()
    else response.writeHead(202).end('ok')
  })
})
afterAll(() => void server.close())

test('reuses an open connection and reopens a closed one', async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const connection = createLeanConnection('127.0.0.1', port)
  const statuses: number[] = []
  for (const path of ['/', '/break', '/']) {
    const probe = async () => connection.isIdle()
    await waitUntil({ what: 'the connection was not idle', timeoutMs: 5000, probe })
    const request = `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\n\r\nx`
    statuses.push(
      await new Promise<number>((resolve) => connection.send(Buffer.from(request), resolve))
    )
  }
  connection.close()
  expect(statuses).toEqual([202, 0, 202])
})
