/** Tests that CORS allows only configured origins, and never credentials. */
import { afterEach, describe, expect, test } from '@jest/globals'
import { jsonReply } from '../../../http/call.ts'
import { aRoute, serve } from './serving.ts'
import type { Served } from './serving.ts'

let served: Served | undefined
afterEach(async () => {
  await served?.close()
  served = undefined
})

const routes = [
  aRoute('get', '/things', async () => jsonReply(200, '{}')),
  aRoute('post', '/things', async () => jsonReply(201, '{}'))
]
const friend = 'https://app.example.com'

/** Sends a request and returns the CORS headers and the status of the response. */
async function ask(method: string, headers: Record<string, string>, origins = [friend]) {
  served = await serve(routes, { corsOrigins: origins })
  const answer = await fetch(`${served.url}/things`, { method, headers })
  const found = [...answer.headers].filter(([name]) => name.startsWith('access-control-'))
  const vary = answer.headers.get('vary')
  return { status: answer.status, vary, headers: Object.fromEntries(found) }
}

const asking = { 'access-control-request-method': 'POST' }

describe('a configured origin', () => {
  test('may read responses', async () => {
    const { status, vary, headers } = await ask('GET', { origin: friend })
    expect([status, vary]).toEqual([200, 'origin'])
    expect(headers).toEqual({
      'access-control-allow-origin': friend,
      'access-control-expose-headers':
        'etag, ratelimit, ratelimit-policy, retry-after, x-request-id, x-sluice-version'
    })
  })

  test('gets a preflight response', async () => {
    const { status, headers } = await ask('OPTIONS', { origin: friend, ...asking })
    expect(status).toBe(204)
    expect(headers).toMatchObject({
      'access-control-allow-origin': friend,
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': expect.stringContaining('authorization')
    })
    expect(headers).not.toHaveProperty('access-control-allow-credentials')
  })
})

describe('nothing is allowed', () => {
  test.each([
    ['https://app.example.com.evil.example'],
    ['http://app.example.com'],
    ['https://app.example.com:8443'],
    ['null'],
    ['*']
  ])('to %s', async (origin) => {
    expect(await ask('GET', { origin })).toEqual({ status: 200, vary: 'origin', headers: {} })
    await served?.close()
    const { status, headers } = await ask('OPTIONS', { origin, ...asking })
    expect([status, headers]).toEqual([405, {}])
  })

  test('when no origin is configured', async () => {
    const answer = await ask('OPTIONS', { origin: friend, ...asking }, [])
    expect(answer).toEqual({ status: 405, vary: null, headers: {} })
  })

  test("for OPTIONS without a browser's headers", async () => {
    expect((await ask('OPTIONS', { origin: friend })).status).toBe(405)
  })
})
