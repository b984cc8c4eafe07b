/** Tests the documentation page, and that no other files are served. */
import { createHash } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createDocs } from '../../../http/docs.ts'
import { callOf, problemOf } from '../api/fakes.ts'

const docs = createDocs({ openapi: '3.1.0', paths: {} })

test('the page loads nothing from other hosts', async () => {
  const { status, headers, body } = await docs.page(callOf())
  expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  const sources = [...body.matchAll(/(?:src|href|url)\s*[=:]\s*["']([^"']+)["']/g)]
  expect(sources.map(([, source]) => source)).toEqual([
    '/docs/swagger-ui.css',
    '/docs/swagger-ui-bundle.js',
    '/openapi.json'
  ])
})

test('the page runs its own script, calls only this host and cannot be framed', async () => {
  const { headers, body } = await docs.page(callOf())
  const policy = headers['content-security-policy'] ?? ''
  const script = /<script>([^<]+)<\/script>/.exec(body)?.[1] ?? ''
  const hash = createHash('sha256').update(script).digest('base64')
  expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`)
  expect(policy).toContain("connect-src 'self';")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(headers['referrer-policy']).toBe('no-referrer')
})

test.each([
  ['swagger-ui.css', 'text/css; charset=utf-8', '.swagger-ui'],
  ['swagger-ui-bundle.js', 'text/javascript; charset=utf-8', 'SwaggerUIBundle']
])('serves %s', async (file, contentType, part) => {
  const { status, headers, body } = await docs.asset(callOf({ params: { file } }))
  expect([status, headers['content-type']]).toEqual([200, contentType])
  expect(body).toContain(part)
})

test.each(['', 'package.json', '../package.json', '..', '__proto__', 'constructor', 'toString'])(
  'does not serve %j',
  async (file) => {
    expect((await problemOf(docs.asset(callOf({ params: { file } })))).code).toBe('route_not_found')
  }
)

test('the document is JSON', async () => {
  const { headers, body } = await docs.document(callOf())
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  expect(JSON.parse(body)).toEqual({ openapi: '3.1.0', paths: {} })
})
