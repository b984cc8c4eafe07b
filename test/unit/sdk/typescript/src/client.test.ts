/** Tests the client: it returns ids immediately, never throws, and counts every decision once. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Stats } from '../../../../../sdk/typescript/src/client.ts'
import { createFakeClient } from '../../../../support/sdk/create-fake-client.ts'
import { status, takeAll } from '../../../../support/sdk/fake-platform.ts'
import type { Gateway } from '../../../../support/sdk/fake-platform.ts'

const hang: Gateway = () => new Promise(() => undefined)

function sumOf({ sent, sampledOut, pending, dropped }: Stats): number {
  return Object.values(dropped).reduce((sum, count) => sum + count, sent + sampledOut + pending)
}

describe('log', () => {
  test.each([
    [undefined],
    [null],
    ['text'],
    [
      {
        get input() {
          throw new Error('no')
        },
        output: ''
      }
    ],
    [
      new Proxy(
        {},
        {
          get: () => {
            throw new Error('no')
          }
        }
      )
    ]
  ])('never throws for input %# and returns an id', (decision) => {
    const { client } = createFakeClient()
    expect(client.log(decision as never)).toMatch(/^[0-9a-f-]{36}$/u)
    expect(sumOf(client.stats())).toBe(1)
  })

  test("keeps the caller's UUID and replaces an invalid id", async () => {
    const errors: unknown[] = []
    const { client, platform } = createFakeClient({
      onError: (_error, about) => errors.push(about)
    })
    const own = '01900000-0000-7000-8000-00000000ABCD'
    expect(client.log({ input: 1, output: '', decisionId: own })).toBe(own.toLowerCase())
    const other = client.log({ input: 1, output: '', decisionId: 'order-17' })
    await platform.advance(1000)
    const ids = platform.requests[0]?.decisions.map((decision) => decision['decision_id'])
    expect(ids).toEqual([own.toLowerCase(), other])
    expect(errors).toEqual([{ stage: 'encode', count: 1 }])
  })

  test('can be called from a getter of a logged value', async () => {
    const { client, platform, sent } = createFakeClient()
    const input = {
      get a() {
        return client.log({ input: 'inner', output: 'inner' })
      }
    }
    client.log({ input, output: 'outer' })
    await platform.advance(1000)
    expect(sent()).toEqual([['inner', 'outer']])
  })

  test.each([
    ['too_large', { maxDecisionBytes: 1024 }, { input: 'ü'.repeat(700), output: '' }],
    ['invalid', {}, { output: '' }],
    ['redacted', { redact: () => null }, { input: 1, output: '' }],
    [
      'redact_error',
      {
        redact: () => {
          throw new Error('x')
        }
      },
      { input: 1, output: '' }
    ],
    ['queue_full', { queueMaxBytes: 1024 }, { input: 'x'.repeat(2000), output: '' }]
  ])('drops a decision as %s', async (reason, options, decision) => {
    const drops: unknown[] = []
    const { client, platform } = createFakeClient({
      ...options,
      onDrop: (about) => drops.push(about)
    })
    client.log(decision as never)
    await platform.advance(0)
    expect(client.stats()).toMatchObject({ logged: 1, pending: 0, dropped: { [reason]: 1 } })
    expect(drops).toEqual([{ reason, count: 1 }])
  })

  test('counts each changed decision once', () => {
    const { client } = createFakeClient()
    client.log({ input: [NaN, NaN], output: '' })
    client.log({ input: 1, output: '' })
    expect(client.stats().changed).toBe(1)
  })

  test('never shows payloads or keys in a failure report', async () => {
    const { client, platform } = createFakeClient(
      {
        debug: true,
        redact: (decision) => {
          if (decision.output === 'fail') throw new Error('sesame')
          return decision
        }
      },
      status(400, { body: '{"detail":"sesame","code":"sesame open"}' })
    )
    client.log({ input: 'sesame', output: 'fail' })
    client.log({ input: 'sesame', output: 'ok', sessionId: 'sesame' })
    client.log({ input: { sesame: NaN }, output: 'ok', metadata: 'sesame' as never })
    await platform.advance(1000)
    await client.close()
    expect(platform.lines.length).toBeGreaterThan(1)
    expect(platform.lines.join('\n')).not.toMatch(/sesame|slk_test_key/u)
  })
})

describe('a client that cannot send', () => {
  test.each([
    [{ disabled: true }, []],
    [
      { apiKey: undefined },
      [expect.stringMatching(/^sluice: SLUICE_API_KEY and .* must be set;/u)]
    ],
    [{ baseUrl: undefined }, [expect.stringContaining('and SLUICE_BASE_URL')]]
  ])('%p', async (options, lines) => {
    const { client, platform } = createFakeClient(options)
    expect(client.log({ input: 1, output: '' })).toMatch(/^[0-9a-f-]{36}$/u)
    expect(client.log(null as never)).toMatch(/^[0-9a-f-]{36}$/u)
    expect(await client.flush()).toEqual({ sent: 0, failed: 0, dropped: 0, pending: 0 })
    await client.close()
    expect(client.stats()).toMatchObject({ logged: 0, pending: 0 })
    expect(platform.requests).toEqual([])
    expect(platform.lines).toEqual(lines)
  })
})

describe('sampling', () => {
  test('samples whole sessions at about the given rate', () => {
    const { client } = createFakeClient({ sampleRate: 0.25 })
    for (let session = 0; session < 400; session++) {
      const decision = { input: 1, output: '', sessionId: `session ${session}` }
      const before = client.stats().sampledOut
      for (let turn = 0; turn < 3; turn++) client.log(decision)
      expect((client.stats().sampledOut - before) % 3).toBe(0)
    }
    const { pending } = client.stats()
    expect(pending).toBeGreaterThan(200)
    expect(pending).toBeLessThan(400)
  })
})

describe('the counts', () => {
  const gateways: readonly Gateway[] = [
    takeAll,
    status(503),
    status(400),
    status(401),
    status(413),
    () => {
      throw new Error('reset')
    },
    ({ decisions }) => ({
      status: 207,
      body: JSON.stringify({
        results: decisions.map((_, index) => ({
          queued: index % 3 === 0,
          retryable: index % 3 === 1
        }))
      })
    })
  ]
  const move = fc.record({
    log: fc.nat(12),
    gateway: fc.nat(gateways.length - 1),
    wait: fc.nat(3000),
    flush: fc.boolean()
  })

  test('add up at every moment, whatever the gateway does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 12 }), fc.boolean(), async (moves, isNewest) => {
        const { client, platform, log } = createFakeClient({
          queueMaxItems: 20,
          batchMaxItems: 4,
          retryMaxAttempts: 4,
          breakerMs: 2000,
          queuePolicy: isNewest ? 'drop-newest' : 'drop-oldest'
        })
        let logged = 0
        let reported = 0
        for (const { log: count, gateway, wait, flush } of moves) {
          platform.gateway = gateways[gateway] as Gateway
          log(count)
          logged += count
          const flushed = flush ? client.flush({ timeoutMs: wait }) : undefined
          await platform.advance(wait)
          const result = await flushed
          if (result !== undefined) reported += result.sent
          expect(client.stats().logged).toBe(logged)
          expect(sumOf(client.stats())).toBe(logged)
          expect(client.stats().pending).toBeLessThanOrEqual(20)
        }
        expect(reported).toBeLessThanOrEqual(client.stats().sent)
        platform.gateway = hang
        const closed = client.close()
        await platform.advance(5000)
        expect(await closed).toMatchObject({ pending: 0 })
        expect(client.stats()).toMatchObject({ pending: 0, pendingBytes: 0 })
        expect(sumOf(client.stats())).toBe(logged)
        expect(platform.held()).toBe(0)
      }),
      { numRuns: 60 }
    )
  })
})
