/** Tests the limit on the body bytes that all requests hold together. */
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { brotliCompressSync, gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { bodyBytesMax, createBodyBudget } from '../../../../http/body/body-budget.ts'
import { jsonReply } from '../../../../http/call.ts'
import { onEnd } from '../../../support/cleanup.ts'
import { waitUntil } from '../../../support/wait-until.ts'
import { aRoute, converse, serve } from '../serving.ts'
import type { Served } from '../serving.ts'

const never = (): void => {
  throw new Error('it is not slow')
}

test('rejects and does not count bytes that do not fit', () => {
  let refusals = 0
  const budget = createBodyBudget({ bytesMax: 100, requestsMax: 4 }, () => (refusals += 1))
  const [one, other] = [budget.lease(), budget.lease()]
  expect([one.take(60), other.take(41), other.take(40)]).toEqual([true, false, true])
  expect([budget.bytes(), refusals]).toEqual([100, 1])
})

test('a lease releases its bytes once', () => {
  const budget = createBodyBudget({ bytesMax: 100, requestsMax: 4 }, () => {})
  const [one, other] = [budget.lease(), budget.lease()]
  one.take(10)
  one.take(20)
  other.take(5)
  one.end()
  one.end()
  expect(budget.bytes()).toBe(5)
})

test('a lease releases the bytes that it no longer holds', () => {
  const budget = createBodyBudget({ bytesMax: 100, requestsMax: 4 }, () => {})
  const lease = budget.lease()
  lease.begin('a', never)
  lease.take(90)
  lease.keep(30)
  lease.keep(40)
  expect(budget.bytes()).toBe(30)
  lease.end()
  expect(budget.bytes()).toBe(0)
})

describe('one organization', () => {
  const mebibyte = 1024 * 1024
  const quarter = 64 * mebibyte
  const small = 64 * 1024

  test('holds at most a quarter of the bytes, over all its leases', () => {
    const budget = createBodyBudget({ bytesMax: 4 * quarter, requestsMax: 16 }, () => {})
    const [one, other, foreign] = [budget.lease(), budget.lease(), budget.lease()]
    one.begin('a', never)
    other.begin('a', never)
    foreign.begin('b', never)
    expect([one.take(quarter - 1), other.take(2), other.take(1)]).toEqual([true, false, true])
    expect(foreign.take(quarter)).toBe(true)
    one.end()
    one.end()
    expect([other.take(quarter), other.take(quarter - 1)]).toEqual([false, true])
  })

  test('has at most a quarter of the requests with a body', () => {
    const budget = createBodyBudget({ bytesMax: quarter, requestsMax: 8 }, () => {})
    const [first, second, third] = [budget.lease(), budget.lease(), budget.lease()]
    expect([first, second, third].map((lease) => lease.begin('a', never))).toEqual([
      true,
      true,
      false
    ])
    expect(third.begin('b', never)).toBe(true)
    first.end()
    expect(budget.lease().begin('a', never)).toBe(true)
  })

  test('large bodies leave room for small ones', () => {
    const budget = createBodyBudget({ bytesMax: 4 * quarter, requestsMax: 100 }, () => {})
    const leaseOf = (key: string) => {
      const lease = budget.lease()
      lease.begin(key, never)
      return lease
    }
    for (const key of ['a', 'b', 'c']) expect(leaseOf(key).take(quarter)).toBe(true)
    const last = leaseOf('d')
    expect([last.take(quarter / 2), last.take(1)]).toEqual([true, false])
    expect([leaseOf('e').take(small + 1), leaseOf('e').take(small)]).toEqual([false, true])
  })

  test('accepts one body, however small the limit is', () => {
    const budget = createBodyBudget({ bytesMax: 32 * mebibyte, requestsMax: 4 }, () => {})
    const lease = budget.lease()
    lease.begin('a', never)
    expect(lease.take(3 * bodyBytesMax)).toBe(true)
    expect(lease.take(bodyBytesMax)).toBe(false)
  })
})

describe('bodies that arrive slowly', () => {
  function scene() {
    let clock = 0
    const cut: string[] = []
    const limits = { bytesMax: 100, requestsMax: 400, now: () => clock }
    const budget = createBodyBudget(limits, () => {})
    const begin = (sharedBy: string, name: string) => {
      const lease = budget.lease()
      lease.begin(sharedBy, () => cut.push(name))
      return lease
    }
    const pass = (ms: number): void => void (clock += ms)
    return { budget, begin, pass, cut }
  }

  test('are ended where there are many, the oldest first', () => {
    const { budget, begin, pass, cut } = scene()
    begin('one', 'alone')
    pass(3000)
    for (let name = 0; name < 40; name++) begin('many', `many ${name}`)
    pass(100)
    expect([budget.cutSlow(), budget.cutSlow(), cut]).toEqual([true, true, ['many 0', 'many 1']])
  })

  test('are ended by age where no organization has many', () => {
    const { budget, begin, pass, cut } = scene()
    begin('one', 'oldest')
    pass(10)
    for (let name = 0; name < 31; name++) begin('some', `some ${name}`)
    pass(2000)
    expect([budget.cutSlow(), budget.cutSlow(), cut]).toEqual([true, true, ['oldest', 'some 0']])
  })

  test('are not ended if they are new, complete or already have a response', () => {
    const { budget, begin, pass, cut } = scene()
    begin('a', 'arrived').arrived()
    begin('a', 'answered').end()
    pass(1000)
    begin('a', 'new')
    pass(1999)
    expect([budget.cutSlow(), cut]).toEqual([false, []])
  })
})

describe('over HTTP', () => {
  let served: Served
  const sockets: Socket[] = []

  beforeAll(async () => {
    const read = aRoute('post', '/', async (call) =>
      jsonReply(200, await call.useBody({}, async (body) => String(body.length)))
    )
    served = await serve([read], { bodyBytesMax: 1_000_000 })
  })
  afterAll(async () => {
    for (const socket of sockets) socket.destroy()
    await served.close()
  })

  const head = 'POST / HTTP/1.1\r\nhost: x\r\n'
  const isHeld = (bytes: number) => (): boolean => served.httpLimits.bodies.bytes() >= bytes

  /** Sends the beginning of a body and nothing else. */
  function sendHalf(headers: string, bytes: Buffer): void {
    const socket = connect(served.port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {})
    socket.write(Buffer.concat([Buffer.from(`${head}${headers}\r\n`), bytes]))
  }
  const whole = (bytes: number): string =>
    `${head}connection: close\r\ncontent-length: ${bytes}\r\n\r\n${'x'.repeat(bytes)}`

  test('counts half-sent bodies, and returns 503 until they are gone', async () => {
    sendHalf('content-length: 900000\r\n', Buffer.alloc(600_000))
    await waitUntil('it is held', isHeld(600_000))
    const refused = await converse(served.port, whole(500_000))
    expect(refused).toMatch(/^HTTP\/1\.1 503 /)
    expect(refused).toContain('retry-after: 1\r\n')
    expect(refused).toContain('"code":"overloaded"')
    expect(served.metrics.labelsOf('sluice_shed_total')).toContainEqual({ reason: 'body_bytes' })
    expect(await converse(served.port, whole(300_000))).toMatch(/^HTTP\/1\.1 200 /)

    for (const socket of sockets.splice(0)) socket.destroy()
    await waitUntil('it is released', () => served.httpLimits.bodies.bytes() === 0)
    expect(await converse(served.port, whole(500_000))).toMatch(/^HTTP\/1\.1 200 /)
  })

  test('counts the received bytes of half-sent compressed bodies', async () => {
    for (let sent = 0; sent < 3; sent++) {
      sendHalf('content-encoding: gzip\r\ncontent-length: 900000\r\n', Buffer.alloc(300_000))
    }
    await waitUntil('they are held', isHeld(900_000))
    expect(await converse(served.port, whole(500_000))).toMatch(/^HTTP\/1\.1 503 /)
    for (const socket of sockets.splice(0)) socket.destroy()
    await waitUntil('all are released', () => served.httpLimits.bodies.bytes() === 0)
  })

  test.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
    ['zstd', zstdCompressSync]
  ] as const)('counts decompressed bytes as well: %s', async (name, compress) => {
    const bomb = compress(Buffer.alloc(600_000))
    const request = `${head}connection: close\r\ncontent-encoding: ${name}\r\n`
    const bytes = Buffer.concat([
      Buffer.from(`${request}content-length: ${bomb.length}\r\n\r\n`),
      bomb
    ])
    expect(await converse(served.port, bytes)).toMatch(/^HTTP\/1\.1 503 /)
    expect(served.httpLimits.bodies.bytes()).toBe(0)
  })
})

test('ends slow bodies to make room for others', async () => {
  const read = aRoute('post', '/:who', async (call) => {
    const limits = { sharedBy: call.params['who'] ?? '' }
    return jsonReply(200, await call.useBody(limits, async (body) => String(body.length)))
  })
  const served = await serve([read], { requestsMax: 8 })
  onEnd(() => served.close())
  const answers: string[] = []
  for (let made = 0; made < 8; made++) {
    const socket = connect(served.port, '127.0.0.1')
    socket.on('error', () => {})
    socket.on('data', (chunk) => answers.push(chunk.toString()))
    const who = 'abcdefgh'[made]
    socket.write(`POST /${who} HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nx`)
  }
  await waitUntil('the limit is reached', () => served.httpLimits.admission.inProgress() === 8)
  const whole = 'POST /z HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: 1\r\n\r\nx'
  expect(await converse(served.port, whole)).toContain('overloaded')
  await waitUntil('a slow one was ended', async () =>
    (await converse(served.port, whole)).includes('200 OK')
  )
  await waitUntil('it has its response', () =>
    answers.some((answer) => answer.includes('too slowly'))
  )
})
