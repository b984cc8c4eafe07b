/** Tests that rejections cost rate-limit points in proportion to the bytes read, and that bodies
 * are not read when no points are left.
 */
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { rejectedBytesPerPoint } from '../../gateway/ingest/limit-rate.ts'
import type { Application } from '../support/application.ts'
import { aDecisionBody } from '../support/builders.ts'
import { onEnd } from '../support/cleanup.ts'
import { createInstallation } from '../support/installation.ts'
import type { Installation, Tenant } from '../support/installation.ts'
import { waitUntil } from '../support/wait-until.ts'

const rateLimit = 1_000_000
const mebibyte = 1024 * 1024
const bodyPoints = (10 * mebibyte) / rejectedBytesPerPoint

let sluice: Installation
let gateway: Application

beforeAll(async () => {
  sluice = await createInstallation()
  gateway = await sluice.start('gateway')
})

type Sent = { path?: string; body: string | Buffer; headers?: Record<string, string> }

async function post(tenant: Tenant, { path = '/v1/ingest', body, headers = {} }: Sent) {
  const answer = await fetch(`${gateway.url}${path}`, {
    method: 'POST',
    body: new Uint8Array(Buffer.from(body)),
    headers: {
      authorization: `Bearer ${tenant.api_key}`,
      'content-type': 'application/json',
      ...headers
    }
  })
  await answer.arrayBuffer()
  const left = Number(/r=(\d+)/.exec(answer.headers.get('ratelimit') ?? '')?.[1])
  return { status: answer.status, left }
}

describe('charges rejections by the number of bytes read', () => {
  const members = Array.from({ length: 600_000 }, (_, index) => `"k${index}":${index % 10}`)
  const crowd = `{"output":"x","input":{${members.join(',')}}}`
  const crowdPoints = Math.ceil(crowd.length / rejectedBytesPerPoint)
  const gzip = { 'content-encoding': 'gzip' }
  const invalid = JSON.stringify({ input: 'x'.repeat(mebibyte) })
  const text = 'x'.repeat(200_000)
  const batch = { decisions: [{ input: text, output: '' }, { input: text }, { input: 1 }] }

  test.each<[string, Sent, number, number]>([
    ['a small invalid decision', { body: '{}' }, 422, 1],
    ['a large one', { body: invalid }, 422, 17],
    ['malformed JSON', { body: invalid.slice(0, -1) }, 400, 17],
    ['600,000 members', { body: gzipSync(crowd), headers: gzip }, 413, crowdPoints],
    [
      'more than 10 MiB of zeros',
      { body: gzipSync(Buffer.alloc(200 * mebibyte)), headers: gzip },
      413,
      // The 128 KiB chunk that exceeds the limit is decompressed too, and costs two more points.
      bodyPoints + 2
    ],
    ['a Content-Length that is too large', { body: Buffer.alloc(11 * mebibyte) }, 413, 1],
    [
      'a large decision that is accepted',
      { body: JSON.stringify(aDecisionBody({ text })) },
      202,
      1
    ],
    [
      'an item of a batch with others',
      { path: '/v1/ingest/batch', body: JSON.stringify(batch) },
      207,
      3 + 3
    ]
  ])('%s', async (_what, sent, status, points) => {
    const tenant = await sluice.createTenant({ rateLimit })
    expect(await post(tenant, sent)).toEqual({ status, left: rateLimit - points })
  })
})

/**
 * Sends the head of a request without its body. The returned function returns the response received
 * so far.
 */
function sendHead(tenant: Tenant, path: string, more = '') {
  const chunks: Buffer[] = []
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  onEnd(() => Promise.resolve(socket.destroy()))
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('error', () => {})
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tenant.api_key}\r\n` +
      `content-type: application/json\r\ncontent-length: 1000000\r\n${more}\r\n`
  )
  return () => Buffer.concat(chunks).toString('latin1')
}

describe('responds without reading the body when the rate limit is used up', () => {
  let tenant: Tenant

  beforeAll(async () => {
    tenant = await sluice.createTenant({ rateLimit: 2 })
    const body = JSON.stringify(aDecisionBody())
    const statuses = [1, 2, 3].map(async () => (await post(tenant, { body })).status)
    expect((await Promise.all(statuses)).sort()).toEqual([202, 202, 429])
  })

  test.each([
    ['/v1/ingest', ''],
    ['/v1/ingest', 'expect: 100-continue\r\n'],
    ['/v1/ingest/batch', '']
  ])('%s %s', async (path, more) => {
    const answer = sendHead(tenant, path, more)
    await waitUntil('the response has arrived', () => answer().includes('\r\n\r\n'))
    await waitUntil('it is complete', () => answer().endsWith('}'))
    const [head = '', body = ''] = answer().split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 429 /)
    expect(head).toMatch(/retry-after: [1-9]\d*/)
    expect(head).toContain('ratelimit-policy: "organization";q=2;w=60')
    expect(head).toContain('ratelimit: "organization";r=0;t=')
    expect(JSON.parse(body)).toMatchObject({ code: 'rate_limited', retryable: true })
    expect(JSON.parse(body)).not.toHaveProperty('results')
  })

  test('still reads the bodies of other organizations', async () => {
    const other = await sluice.createTenant({ rateLimit: 2 })
    expect(await post(other, { body: JSON.stringify(aDecisionBody()) })).toMatchObject({
      status: 202
    })
  })
})
