/** Contract tests for every transport of the TypeScript SDK, with real sockets. */
import { describe, expect, test } from '@jest/globals'
import type { IncomingMessage } from 'node:http'
import { gunzipSync, gzipSync } from 'node:zlib'
import type { Exchange, Transport } from '../../../sdk/typescript/src/platform.ts'
import { waitUntil } from '../wait-until.ts'
import { listen, listenRaw } from './listen.ts'

const megabyte = 1024 * 1024

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

function exchange(url: string, more: Partial<Exchange> = {}): Exchange {
  const { signal } = new AbortController()
  return { url, headers: {}, body: '{}', timeoutMs: 10_000, signal, ...more }
}

export function testTransport(name: string, transport: Transport): void {
  describe(`${name}: response`, () => {
    test('returns any status and sends the request unchanged', async () => {
      const url = await listen((request, response) => {
        void bodyOf(request).then((body) => {
          response.writeHead(429, { 'retry-after': '7' })
          const { method, headers } = request
          const text = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
          response.end(
            JSON.stringify([method, headers['x-a'], headers['content-length'], text.toString()])
          )
        })
      })
      const headers = { 'x-a': 'b' }
      expect(await transport(exchange(`${url}/v1`, { headers, body: '"ü"' }))).toEqual({
        status: 429,
        retryAfter: '7',
        body: '["POST","b","4","\\"ü\\""]'
      })
      const body = new Uint8Array(gzipSync('x'.repeat(1000)))
      const gzip = { 'content-encoding': 'gzip' }
      const { body: told } = await transport(exchange(url, { headers: gzip, body }))
      expect(told).toContain(`"${body.length}","${'x'.repeat(1000)}"`)
    })

    test('joins chunks that split a character', async () => {
      const bytes = Buffer.from('{"a":"ü😀"}')
      const url = await listen((request, response) => {
        request.resume().on('end', () => {
          for (const byte of bytes) response.write(Buffer.from([byte]))
          response.end()
        })
      })
      expect((await transport(exchange(url))).body).toBe(bytes.toString())
    })

    test('does not follow redirects', async () => {
      let strays = 0
      const url = await listen(({ url: path }, response) => {
        if (path === '/elsewhere') strays++
        response.writeHead(307, { location: '/elsewhere' }).end()
      })
      expect((await transport(exchange(url))).status).toBeGreaterThanOrEqual(300)
      expect(strays).toBe(0)
    })

    test('does not read an endless response to its end', async () => {
      let closed = false
      const url = await listen((request, response) => {
        request.resume()
        response.on('close', () => (closed = true))
        const chunk = Buffer.alloc(megabyte, 'x')
        const more = (): void => {
          while (!closed && response.write(chunk));
        }
        response.on('drain', more)
        more()
      })
      expect(await transport(exchange(url))).toMatchObject({ status: 200, body: undefined })
      await waitUntil('the connection to be closed', () => closed)
    })
  })

  describe(`${name}: no response`, () => {
    test('rejects if no server listens', async () => {
      await expect(transport(exchange('http://127.0.0.1:1'))).rejects.toThrow()
    })

    test.each([
      ['nothing', ''],
      ['half a head', 'HTTP/1.1 202 Acc'],
      ['half a body', 'HTTP/1.1 202 Accepted\r\ncontent-length: 100\r\n\r\n{"results"'],
      ['half a chunked body', 'HTTP/1.1 202 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"res'],
      ['something else', 'SSH-2.0-OpenSSH_9\r\n']
    ])('rejects if the server sends %s and closes', async (_, text) => {
      const url = await listenRaw((socket) => void socket.once('data', () => socket.end(text)))
      await expect(transport(exchange(url))).rejects.toThrow()
    })

    test('rejects at the timeout, even if bytes trickle in', async () => {
      const url = await listen((request, response) => {
        request.resume()
        response.writeHead(202, { 'content-length': 100 })
        const drip = setInterval(() => response.write('x'), 20)
        response.on('close', () => clearInterval(drip))
      })
      await expect(transport(exchange(url, { timeoutMs: 200 }))).rejects.toThrow('200 ms')
      const silent = await listen((request) => void request.resume())
      await expect(transport(exchange(silent, { timeoutMs: 50 }))).rejects.toThrow('50 ms')
    })

    test('rejects when aborted', async () => {
      const abort = new AbortController()
      const url = await listen((request) => void request.resume().on('end', () => abort.abort()))
      await expect(transport(exchange(url, { signal: abort.signal }))).rejects.toThrow()
    })
  })
}
