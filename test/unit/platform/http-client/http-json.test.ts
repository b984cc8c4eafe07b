/** Tests JSON requests over HTTP: what is sent, what is returned, and timeouts. */
import { createServer } from 'node:http'
import type { RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect, test } from '@jest/globals'
import { createHttpJson } from '../../../../platform/http-client/http-json.ts'
import { onEnd } from '../../../support/cleanup.ts'

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onEnd(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://user:p%40ss@127.0.0.1:${(server.address() as AddressInfo).port}/base/`
}

test('sends method, path, credentials and body, and reads the response', async () => {
  const url = await serve((request, response) => {
    void text(request).then((body) => {
      const { method, url: path, headers } = request
      const login = Buffer.from(String(headers.authorization).slice(6), 'base64').toString()
      response.writeHead(201).end(JSON.stringify({ method, path, login, body }))
    })
  })
  const http = createHttpJson({ url, ca: null, timeoutMs: 5000 })
  expect(http.baseUrl).toBe(url.replace('user:p%40ss@', '').replace(/\/$/, ''))
  expect(http.credentials).toEqual({ username: 'user', password: 'p@ss' })
  expect(await http.send('PUT', '/config/a%2Fb', { level: 'FULL' })).toEqual({
    status: 201,
    body: {
      method: 'PUT',
      path: '/base/config/a%2Fb',
      login: 'user:p@ss',
      body: '{"level":"FULL"}'
    }
  })
})

test('returns the status of a response that is not JSON', async () => {
  const url = await serve((_, response) => response.writeHead(502).end('<html>'))
  const http = createHttpJson({ url, ca: null, timeoutMs: 5000 })
  expect(await http.send('GET', '/')).toEqual({ status: 502, body: null })
})

test('times out before and within a response', async () => {
  const silent = await serve(() => {})
  const halting = await serve((_, response) => void response.writeHead(200).write('{'))
  for (const url of [silent, halting]) {
    const http = createHttpJson({ url, ca: null, timeoutMs: 50 })
    await expect(http.send('GET', '/')).rejects.toThrow(/abort/)
  }
})
