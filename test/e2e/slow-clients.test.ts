/** Tests that slow and silent clients are disconnected in time, while others are served. */
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { beforeAll, expect, test } from '@jest/globals'
import type { Application } from '../support/application.ts'
import { aDecisionBody } from '../support/builders.ts'
import { onEnd } from '../support/cleanup.ts'
import { clientOf, createInstallation } from '../support/installation.ts'
import type { Tenant } from '../support/installation.ts'
import { waitUntil } from '../support/wait-until.ts'

/**
 * Short timeouts and a low connection limit, to keep the test fast. The default timeouts are 10, 30
 * and 30 seconds.
 */
const limits = {
  HEADERS_TIMEOUT_MS: '1000',
  REQUEST_TIMEOUT_MS: '2000',
  RESPONSE_TIMEOUT_MS: '1000',
  CONNECTIONS_MAX: '400'
}
const each = 60
const dripMs = 100

let gateway: Application
let tenant: Tenant
let head: string

beforeAll(async () => {
  const sluice = await createInstallation()
  tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
  gateway = await sluice.start('gateway', limits)
  head =
    `POST /v1/ingest HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${tenant.api_key}\r\n` +
    'content-type: application/json\r\n'
})

interface Slow {
  readonly socket: Socket
  text(): string
  isCut(): boolean
}

/** Sends `beginning` immediately, then `byte` repeatedly at intervals; null sends nothing more. */
function drip(beginning: string | Buffer, byte: string | null): Slow {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
  const chunks: Buffer[] = []
  let isCut = false
  socket.on('data', (chunk) => chunks.push(chunk))
  socket.on('error', () => {})
  const timer = setInterval(() => byte !== null && socket.write(byte), dripMs)
  socket.on('close', () => {
    isCut = true
    clearInterval(timer)
  })
  onEnd(() => Promise.resolve(socket.destroy()))
  socket.write(beginning)
  return { socket, text: () => Buffer.concat(chunks).toString('latin1'), isCut: () => isCut }
}

const many = (one: () => Slow): Slow[] => Array.from({ length: each }, one)
const areCut = (slow: readonly Slow[]) => () => slow.every((one) => one.isCut())

/** Sends decisions sequentially until `isOver` returns true. Fails if one is not accepted. */
async function sendMeanwhile(isOver: () => boolean): Promise<number> {
  const client = clientOf(gateway, tenant)
  let accepted = 0
  while (!isOver()) {
    await client.accept(aDecisionBody())
    accepted += 1
  }
  return accepted
}

const cases: [string, () => Slow, RegExp | null][] = [
  ['send nothing', () => drip('', null), /^HTTP\/1\.1 408 |^$/],
  ['send headers a byte at a time', () => drip(`${head}x-a: `, 'a'), /^HTTP\/1\.1 408 /],
  [
    'send a body a byte at a time',
    () => drip(`${head}content-length: 5000\r\n\r\n{"input":"`, 'x'),
    /^HTTP\/1\.1 408 /
  ],
  [
    'send chunks a byte at a time',
    () => drip(`${head}transfer-encoding: chunked\r\n\r\n`, '1\r\n{\r\n'),
    /^HTTP\/1\.1 408 /
  ],
  [
    'stop in the middle of a compressed body',
    () =>
      drip(
        Buffer.concat([
          Buffer.from(`${head}content-encoding: gzip\r\ncontent-length: 5000\r\n\r\n`),
          gzipSync(Buffer.alloc(100_000)).subarray(0, 40)
        ]),
        null
      ),
    /^HTTP\/1\.1 408 /
  ]
]

test.each(cases)(
  'disconnects callers that %s, without affecting others',
  async (_what, one, answer) => {
    const slow = many(one)
    const accepted = await sendMeanwhile(areCut(slow))
    expect(accepted).toBeGreaterThan(0)
    for (const { text } of slow) {
      expect(text()).toMatch(answer ?? /^$/)
      if (text() !== '') expect(text()).toContain('"code":"body_timeout"')
    }
    await waitUntil('no bytes of them are held', async () => {
      const metrics = await gateway.metrics()
      return /^sluice_held_body_bytes 0$/m.test(metrics) && /_in_progress 0$/m.test(metrics)
    })
  }
)

test('releases callers that half-close their connection', async () => {
  const halves = many(() => {
    const half = drip(`${head}content-length: 5000\r\n\r\n{"input":"`, null)
    half.socket.end()
    return half
  })
  expect(await sendMeanwhile(areCut(halves))).toBeGreaterThan(0)
})

test('idle connections do not keep other callers out', async () => {
  const idle: Slow[] = []
  // Open connections in small groups, because a busy gateway rejects some requests when many arrive
  // at once.
  while (idle.length < 390) {
    const some = Array.from({ length: 30 }, () =>
      drip('GET /nowhere HTTP/1.1\r\nhost: x\r\n\r\n', null)
    )
    await waitUntil('they are answered', () => some.every(({ text }) => text().includes(' 404 ')))
    idle.push(...some)
  }
  const client = clientOf(gateway, tenant)
  // Exceed the connection limit, so that the gateway closes idle connections.
  const late = Array.from({ length: 30 }, () => drip('', null))
  await waitUntil('idle connections are closed', () => idle.some((one) => one.isCut()))
  await waitUntil('a decision is accepted', async () => {
    try {
      return await client.accept(aDecisionBody())
    } catch {
      return null
    }
  })
  for (const { socket } of [...idle, ...late]) socket.destroy()
})
