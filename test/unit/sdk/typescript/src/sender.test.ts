/** Tests when requests start and how responses are handled, with a fake clock and gateway. */
import { describe, expect, test } from '@jest/globals'
import { createFakeClient } from '../../../../support/sdk/create-fake-client.ts'
import { script, status, takeAll } from '../../../../support/sdk/fake-platform.ts'
import type { Gateway } from '../../../../support/sdk/fake-platform.ts'

const hang: Gateway = () => new Promise(() => undefined)
const reset: Gateway = () => {
  throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' })
}
function items(...items: ('sent' | 'retry' | 'rejected')[]): Gateway {
  return ({ decisions }) => ({
    status: 207,
    body: JSON.stringify({
      results: decisions.map((_, index) => {
        const item = items[index % items.length]
        return item === 'sent' ? { queued: true } : { queued: false, retryable: item === 'retry' }
      })
    })
  })
}

describe('a request starts', () => {
  test('when the first waiting decision has waited for the interval', async () => {
    const { platform, log, sent } = createFakeClient({ batchIntervalMs: 1000 })
    log(1)
    await platform.advance(600)
    log(2)
    await platform.advance(399)
    expect(sent()).toEqual([])
    await platform.advance(1)
    expect(sent()).toEqual([['0', '1', '2']])
    expect(platform.held()).toBe(0)
  })

  test('when enough items or bytes are waiting', async () => {
    const { platform, log, sent } = createFakeClient({ batchMaxItems: 3 })
    log(7)
    await platform.advance(0)
    expect(sent()).toEqual([
      ['0', '1', '2'],
      ['3', '4', '5']
    ])
    const large = createFakeClient({ batchMaxBytes: 1024 })
    large.log(12)
    await large.platform.advance(0)
    expect(large.sent().flat()).not.toEqual([])
    for (const { exchange } of large.platform.requests) {
      expect(exchange.body.length).toBeLessThanOrEqual(1024)
    }
  })

  test('immediately in immediate mode, with all decisions of the same tick', async () => {
    const { platform, log, sent } = createFakeClient({ mode: 'immediate' })
    log(3)
    expect(sent()).toEqual([])
    await platform.advance(0)
    log(1)
    await platform.advance(0)
    expect(sent()).toEqual([['0', '1', '2'], ['3']])
  })

  test('while fewer than two are in flight', async () => {
    const { platform, log, sent } = createFakeClient({ batchMaxItems: 1 }, hang)
    log(5)
    await platform.advance(10_000)
    expect(sent()).toEqual([['0'], ['1']])
  })

  test('with the key, ids and, for a large request, compression', async () => {
    const { platform, log } = createFakeClient({ gzipOverBytes: 10, baseUrl: 'http://gateway/a/' })
    log(1)
    await platform.advance(1000)
    expect(platform.requests[0]?.exchange).toMatchObject({
      url: 'http://gateway/a/v1/ingest/batch',
      timeoutMs: 15_000,
      headers: {
        authorization: 'Bearer slk_test_key',
        'content-type': 'application/json',
        'content-encoding': 'gzip',
        'x-sluice-sdk': 'typescript/0.1.0',
        'x-batch-id': expect.stringMatching(/^[0-9a-f-]{36}$/u),
        'x-attempt': '1'
      }
    })
  })
})

describe('no response, or a response that requires a retry', () => {
  test.each([
    ['503', status(503)],
    ['429', status(429)],
    ['a reset', reset],
    ['a 202 with a malformed body', status(202, { body: '<html>' })],
    ['a 207 that accepts nothing', items('retry')]
  ])('%s: retries the same batch after a random part of a growing pause', async (_, gateway) => {
    const { platform, log, sent, client } = createFakeClient(
      { batchIntervalMs: 0 },
      script(gateway, gateway, gateway)
    )
    log(2)
    await platform.advance(10_000)
    expect(platform.requests.map(({ at }) => at)).toEqual([0, 125, 375, 875])
    expect(sent()).toEqual([
      ['0', '1'],
      ['0', '1'],
      ['0', '1'],
      ['0', '1']
    ])
    const headers = platform.requests.map(({ exchange }) => exchange.headers)
    expect(headers.map((each) => each['x-attempt'])).toEqual(['1', '2', '3', '4'])
    expect(new Set(headers.map((each) => each['x-batch-id'])).size).toBe(1)
    expect(client.stats()).toMatchObject({ sent: 2, retried: 6, requests: 4 })
  })

  test('waits at least for Retry-After, with all decisions', async () => {
    const gateway = script(status(503, { retryAfter: '7' }))
    const { platform, log, sent } = createFakeClient({ batchMaxItems: 1 }, gateway)
    log(1)
    await platform.advance(10)
    log(3)
    await platform.advance(6989)
    expect(sent()).toEqual([['0']])
    await platform.advance(1000)
    expect(platform.requests[1]?.at).toBe(7000)
    expect(sent().slice(1)).toEqual([['0'], ['1'], ['2'], ['3']])
  })

  test('counts two requests that fail together as one failure', async () => {
    const gateway = script(status(503), status(503))
    const { platform, log } = createFakeClient({ batchMaxItems: 1, retryBaseMs: 100 }, gateway)
    platform.chance = 1
    log(2)
    await platform.advance(1000)
    expect(platform.requests.map(({ at }) => at)).toEqual([0, 0, 100, 100])
  })

  test('retries until the maximum number of attempts', async () => {
    const { platform, log, client } = createFakeClient(
      { retryMaxAttempts: 3, batchIntervalMs: 0 },
      status(500)
    )
    log(2)
    await platform.advance(100_000)
    expect(platform.requests).toHaveLength(3)
    expect(client.stats()).toMatchObject({ pending: 0, dropped: { retries_exhausted: 2 } })
  })

  test('retries within the retry budget, while untried decisions wait', async () => {
    const options = { retryBudgetMs: 1000, batchMaxItems: 2, queueMaxItems: 9 }
    const { platform, log, client } = createFakeClient(options, status(500))
    log(5)
    await platform.advance(874)
    expect(client.stats()).toMatchObject({ pending: 5 })
    await platform.advance(1)
    expect(client.stats().dropped.retries_exhausted).toBe(4)
    platform.gateway = takeAll
    await platform.advance(100_000)
    expect(client.stats()).toMatchObject({ sent: 1, pending: 0 })
  })
})

describe('results per decision', () => {
  test('settles sent and rejected decisions, and retries the rest with waiting ones', async () => {
    const gateway = script(items('sent', 'retry', 'rejected'))
    const { platform, log, sent, client } = createFakeClient({ batchMaxItems: 3 }, gateway)
    log(3)
    await platform.advance(0)
    log(2)
    await platform.advance(5000)
    expect(sent()).toEqual([
      ['0', '1', '2'],
      ['1', '3', '4']
    ])
    const [first, second] = platform.requests.map(({ exchange }) => exchange.headers)
    expect(second?.['x-batch-id']).not.toBe(first?.['x-batch-id'])
    expect(client.stats()).toMatchObject({ sent: 4, retried: 1, dropped: { refused: 1 } })
  })

  test('does not delay other decisions for one that must be retried', async () => {
    const stuck: Gateway = (request) =>
      items(...request.decisions.map(({ output }) => (output === '0' ? 'retry' : 'sent')))(request)
    const { platform, log, client } = createFakeClient({ batchMaxItems: 2 }, stuck)
    log(40)
    await platform.advance(3000)
    expect(client.stats()).toMatchObject({ sent: 39, pending: 1 })
    platform.gateway = takeAll
    await platform.advance(60_000)
    expect(client.stats()).toMatchObject({ sent: 40, pending: 0 })
  })
})

describe('413', () => {
  test('halves this and later batches until batches are accepted again', async () => {
    const gateway: Gateway = (request) =>
      request.decisions.length > 3 ? { status: 413 } : takeAll(request)
    const { platform, log, sent } = createFakeClient({ batchMaxItems: 8 }, gateway)
    log(8)
    await platform.advance(0)
    expect(sent().map(({ length }) => length)).toEqual([8, 4, 4, 2, 2, 2, 2])
    log(8)
    await platform.advance(2000)
    expect(sent().flat().length).toBeLessThan(60)
    expect(new Set(sent().flat()).size).toBe(16)
  })

  test('drops a decision that is too large alone', async () => {
    const gateway = script(status(413), status(413))
    const { platform, log, client } = createFakeClient({ batchMaxItems: 2 }, gateway)
    log(2)
    await platform.advance(0)
    expect(client.stats()).toMatchObject({ sent: 1, retried: 0, dropped: { too_large: 1 } })
  })
})

describe('a wrong API key or URL', () => {
  test.each([401, 403, 404, 405, 302])(
    '%i: sends one request after the breaker pause',
    async (code) => {
      const { platform, log, sent, client } = createFakeClient({ batchMaxItems: 1 }, status(code))
      log(1)
      await platform.advance(1)
      log(5)
      await platform.advance(60_000)
      expect(platform.requests.map(({ at }) => at)).toEqual([0, 60_000])
      expect(client.stats()).toMatchObject({ pending: 6 })
      platform.gateway = takeAll
      await platform.advance(60_000)
      expect(sent().slice(2)).toEqual([['0'], ['1'], ['2'], ['3'], ['4'], ['5']])
      expect(platform.lines[0]).toContain(`returned ${code}`)
    }
  )

  test('retries until the end of the retry budget', async () => {
    const { platform, log, client } = createFakeClient({ retryBudgetMs: 150_000 }, status(401))
    log(3)
    await platform.advance(400_000)
    expect(platform.requests).toHaveLength(3)
    expect(client.stats()).toMatchObject({ pending: 0, dropped: { unauthorized: 3 } })
  })
})

describe('a drop report', () => {
  test('is sent with the next batch, and again until it is accepted', async () => {
    const gateway = script(status(503))
    const { platform, client, log } = createFakeClient({ batchIntervalMs: 0 }, gateway)
    client.log({ input: 1, agentId: 'a' } as never)
    client.log({ input: 1, output: null, agentId: 'a' })
    log(1)
    await platform.advance(10)
    client.log({ input: 1, output: null, agentId: 'b' })
    await platform.advance(10_000)
    log(1)
    await platform.advance(10)
    expect(platform.requests.map(({ report }) => report)).toEqual([
      { dropped: { invalid: 2 }, agent_id: 'a' },
      { dropped: { invalid: 3 } },
      undefined
    ])
  })

  test('is sent alone if a flush finds nothing else, without drops by redact', async () => {
    const { platform, client } = createFakeClient({ redact: () => null })
    client.log({ input: 1, output: '' })
    await client.flush()
    expect(platform.requests).toEqual([])
    client.log({ output: '' } as never)
    const flushed = client.flush()
    await platform.advance(0)
    expect(await flushed).toEqual({ sent: 0, failed: 0, dropped: 0, pending: 0 })
    expect(platform.requests).toMatchObject([
      { decisions: [], report: { dropped: { invalid: 1 } } }
    ])
  })
})
