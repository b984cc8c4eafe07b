/** Tests how the console is served: headers, caching, compression and missing files. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createConsole } from '../../../http/console.ts'
import { callOf, problemOf } from '../api/fakes.ts'
import { serve } from './serving.ts'

const folder = mkdtempSync(join(tmpdir(), 'sluice-console-'))
let url = ''
let close = async (): Promise<unknown> => undefined

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<p>page</p>')
  writeFileSync(join(folder, 'assets', 'a-1.js'), 'plain')
  writeFileSync(join(folder, 'assets', 'a-1.js.br'), 'as br')
  writeFileSync(join(folder, 'assets', 'a-1.js.gz'), 'as gz')
  const server = await serve([], { console: createConsole(folder) })
  url = server.url
  close = server.close
})

afterAll(async () => {
  await close()
  rmSync(folder, { recursive: true })
})

test.each(['/console/', '/console/decisions', '/console/decisions/x'])(
  '%s is the page',
  async (path) => {
    const response = await fetch(url + path)
    expect([response.status, await response.text()]).toEqual([200, '<p>page</p>'])
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin'
    })
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(policy).not.toContain('unsafe')
  }
)

test('/console redirects to the page', async () => {
  const { status, headers } = await fetch(`${url}/console`, { redirect: 'manual' })
  expect([status, headers.get('location')]).toEqual([308, '/console/'])
})

test.each([
  ['br, gzip', 'br', 'as br'],
  ['gzip', 'gzip', 'as gz'],
  ['gzip;q=0, br;q=0', undefined, 'plain'],
  ['', undefined, 'plain']
])('an asset is sent as %j accepts', async (accepted, coding, text) => {
  const { asset } = createConsole(folder)
  const call = callOf({ params: { file: 'a-1.js' }, headers: { 'accept-encoding': accepted } })
  const { headers, bytes = new Uint8Array() } = await asset(call)
  expect([headers['content-encoding'], Buffer.from(bytes).toString()]).toEqual([coding, text])
  expect(headers['cache-control']).toBe('public, max-age=31536000, immutable')
  expect(headers['vary']).toBe('accept-encoding')
})

test.each(['a-2.js', 'a-1.js.br', '..%2findex.html', '__proto__'])(
  'the missing asset %s is 404',
  async (name) => {
    expect((await fetch(`${url}/console/assets/${name}`)).status).toBe(404)
  }
)

test('a console that was not built is 404 and says how to build it', async () => {
  const { page } = createConsole(join(folder, 'nothing'))
  const { code, options } = await problemOf(page(callOf()))
  expect([code, options.detail]).toEqual(['route_not_found', expect.stringContaining('npm start')])
})
