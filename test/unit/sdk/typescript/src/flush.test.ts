/** Tests that a flush waits only while waiting can help, and that close drops decisions that are
 * not sent in time.
 */
import { describe, expect, test } from '@jest/globals'
import { createFakeClient } from '../../../../support/sdk/create-fake-client.ts'
import { script, status, takeAll } from '../../../../support/sdk/fake-platform.ts'
import type { Gateway } from '../../../../support/sdk/fake-platform.ts'

const hang: Gateway = () => new Promise(() => undefined)
const none = { sent: 0, failed: 0, dropped: 0, pending: 0 }

describe('flush', () => {
  test('skips the interval and keeps the process alive until it ends', async () => {
    const { client, platform, log } = createFakeClient()
    log(3)
    const flushed = client.flush()
    expect(platform.held()).toBe(1)
    await platform.advance(0)
    expect(await flushed).toEqual({ ...none, sent: 3 })
    expect(platform.held()).toBe(0)
    expect(await client.flush()).toEqual(none)
    expect(platform.requests).toHaveLength(1)
  })

  test('waits for decisions being sent', async () => {
    let answer = (): void => undefined
    const { client, platform, log } = createFakeClient(
      { batchMaxItems: 2 },
      (request) => new Promise((resolve) => (answer = () => resolve(takeAll(request))))
    )
    log(2)
    const flushed = client.flush()
    await platform.advance(100)
    answer()
    await platform.advance(0)
    expect(await flushed).toEqual({ ...none, sent: 2 })
  })

  test('is not prolonged by later decisions', async () => {
    const { client, platform, log } = createFakeClient({}, script(takeAll, hang))
    log(1)
    const flushed = client.flush()
    log(1)
    await platform.advance(0)
    expect(await flushed).toEqual({ ...none, sent: 1 })
    expect(client.stats().pending).toBe(1)
  })

  test('waits for a pause within its timeout, and otherwise returns what is pending', async () => {
    const gateway = script(status(503, { retryAfter: '2' }), status(503, { retryAfter: '2' }))
    const { client, platform, log } = createFakeClient({}, gateway)
    log(2)
    const short = client.flush({ timeoutMs: 2500 })
    await platform.advance(2500)
    expect(await short).toEqual({ ...none, pending: 2 })
    const long = client.flush({ timeoutMs: 2500 })
    await platform.advance(2500)
    expect(await long).toEqual({ ...none, sent: 2 })
  })

  test('ends immediately if nothing can be sent within its timeout', async () => {
    const { client, platform, log } = createFakeClient({}, status(401))
    log(2)
    const flushed = client.flush()
    await platform.advance(0)
    expect(await flushed).toEqual({ ...none, pending: 2 })
    const again = client.flush()
    await platform.advance(0)
    expect(await again).toEqual({ ...none, pending: 2 })
    expect(platform.requests).toHaveLength(1)
  })

  test('counts failed decisions', async () => {
    const { client, platform, log } = createFakeClient(
      { batchMaxItems: 2, queueMaxItems: 4 },
      script(status(400), hang)
    )
    log(4)
    const flushed = client.flush({ timeoutMs: 1000 })
    log(1)
    await platform.advance(0)
    log(3)
    await platform.advance(1000)
    expect(await flushed).toMatchObject({ sent: 0, failed: 2 })
  })

  test.each([[{ timeoutMs: NaN }], [{ timeoutMs: '5' }], [null], [5]])(
    'with %p waits for shutdownMs',
    async (options) => {
      const { client, platform, log } = createFakeClient({ shutdownMs: 300 }, hang)
      log(1)
      const flushed = client.flush(options as never)
      await platform.advance(300)
      expect(await flushed).toEqual({ ...none, pending: 1 })
    }
  )

  test.each([[1e15], [Infinity], [3e9]])('accepts %d ms', async (timeoutMs) => {
    const { client, platform, log } = createFakeClient({}, script(status(503)))
    log(1)
    const flushed = client.flush({ timeoutMs })
    await platform.advance(60_000)
    expect(await flushed).toEqual({ ...none, sent: 1 })
  })

  test('starts a request with a timeout of 0, and returns what is pending', async () => {
    const { client, platform, log, sent } = createFakeClient()
    log(1)
    const flushed = client.flush({ timeoutMs: -5 })
    await platform.advance(0)
    expect(sent()).toEqual([['0']])
    expect(await flushed).toMatchObject({ failed: 0 })
  })
})

describe('close', () => {
  test('sends waiting decisions and drops later ones', async () => {
    const { client, platform, log, sent } = createFakeClient()
    log(2)
    const closed = client.close()
    log(1)
    await platform.advance(0)
    expect(await closed).toEqual({ ...none, sent: 2 })
    log(1)
    await platform.advance(10_000)
    // The last drop is reported in a request without decisions.
    expect(sent()).toEqual([['0', '1'], []])
    expect(client.stats()).toMatchObject({ logged: 4, sent: 2, dropped: { shutdown: 2 } })
    expect(await client.close()).toEqual({ ...none, sent: 2 })
    expect(platform.watched.size).toBe(0)
  })

  test('drops decisions that are not sent in time and aborts their requests', async () => {
    const calls: unknown[] = []
    const { client, platform, log } = createFakeClient(
      { batchMaxItems: 2, onDrop: (about) => calls.push(about) },
      hang
    )
    log(7)
    const closed = client.close()
    await platform.advance(5000)
    expect(await closed).toEqual({ ...none, dropped: 7 })
    expect(platform.requests.map(({ exchange }) => exchange.signal.aborted)).toEqual([true, true])
    expect(client.stats()).toMatchObject({ pending: 0, pendingBytes: 0, dropped: { shutdown: 7 } })
    expect(calls).toEqual([{ reason: 'shutdown', count: 7 }])
    expect(platform.lines).toContain('sluice: 7 decisions were not sent: the client was closed')
  })

  test('reports drops to the gateway', async () => {
    const { client, platform } = createFakeClient()
    client.log({ output: '' } as never)
    const closed = client.close()
    await platform.advance(0)
    await closed
    expect(platform.requests).toMatchObject([{ report: { dropped: { invalid: 1 } } }])
  })
})

test('returns the number of decisions dropped at process exit', async () => {
  const { client, platform, log } = createFakeClient({}, hang)
  log(3)
  const [watched] = platform.watched
  const flushed = watched?.flush(100)
  await platform.advance(100)
  expect(await flushed).toMatchObject({ pending: 3 })
  expect(watched?.dropRemaining()).toBe(3)
  expect(watched?.dropRemaining()).toBe(0)
  platform.gateway = takeAll
  log(1)
  await platform.advance(1000)
  expect(client.stats()).toMatchObject({ sent: 1, pending: 0, dropped: { shutdown: 3 } })
})
