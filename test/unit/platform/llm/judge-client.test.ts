/** Tests the OpenAI API client over real sockets: requests, replies and errors. */
import { describe, expect, test } from '@jest/globals'
import { createJudgeClient } from '../../../../platform/llm/judge-client.ts'
import type { CompletionRequest, JudgeClient } from '../../../../platform/llm/judge-client.ts'
import { JudgeError } from '../../../../platform/llm/judge-error.ts'
import { createOutbound } from '../../../../platform/http-client/outbound.ts'
import { onEnd } from '../../../support/cleanup.ts'
import type { BehaviourName } from '../../../support/judge-behaviours.ts'
import { startJudgeServer } from '../../../support/judge-server.ts'
import type { JudgeServer, JudgeServerOptions } from '../../../support/judge-server.ts'
import { waitUntil } from '../../../support/wait-until.ts'

const clock = { now: () => Date.parse('2199-12-31T23:59:30Z') }
const apiKey = 'sk-secret123'
const schema = { type: 'object' }
const request: CompletionRequest = {
  model: 'grader',
  messages: [{ role: 'user', content: 'judge this' }],
  temperature: 0,
  max_tokens: 1024,
  schema,
  run_id: 'run-1'
}

interface Pair {
  readonly server: JudgeServer
  readonly client: JudgeClient
}

function clientOf(base_url: string, api_key: string | null = apiKey): JudgeClient {
  const outbound = createOutbound({ privateAddressesAllowed: true })
  onEnd(() => outbound.close())
  return createJudgeClient({ base_url, api_key, models: [] }, { fetch: outbound.fetch, clock })
}

async function pair(options: JudgeServerOptions = {}): Promise<Pair> {
  const server = await startJudgeServer(options)
  onEnd(() => server.close())
  return { server, client: clientOf(server.baseUrl) }
}

async function errorOf(client: JudgeClient, timeoutMs = 5000): Promise<JudgeError> {
  const outcome = await client.complete(request, { timeoutMs }).catch((error: unknown) => error)
  expect(outcome).toBeInstanceOf(JudgeError)
  return outcome as JudgeError
}

test('sends the request and reads the whole reply', async () => {
  const { server, client } = await pair()
  const reply = await client.complete(request, { timeoutMs: 5000 })
  expect(reply).toEqual({
    text: expect.stringContaining('"reasoning"'),
    refusal: null,
    finish_reason: 'stop',
    model_reported: 'grader-2026-01-01',
    input_tokens: 40,
    output_tokens: 40,
    latency_ms: expect.any(Number),
    calls: 1
  })
  const [call] = server.calls
  expect(call?.body).toEqual({
    model: 'grader',
    messages: [{ role: 'user', content: 'judge this' }],
    max_tokens: 1024,
    temperature: 0,
    response_format: {
      type: 'json_schema',
      json_schema: { name: 'grade', strict: true, schema }
    }
  })
  expect(server.callsOf('run-1')).toBe(1)
})

test('reveals nothing but the key and the run to a server', async () => {
  const { server, client } = await pair()
  await client.complete(request, { timeoutMs: 5000 })
  expect(server.calls[0]?.headers).toEqual({
    host: `127.0.0.1:${server.port}`,
    connection: 'keep-alive',
    accept: 'application/json',
    'accept-encoding': 'identity',
    authorization: `Bearer ${apiKey}`,
    'content-length': expect.any(String),
    'content-type': 'application/json',
    'user-agent': 'sluice',
    'x-sluice-run': 'run-1'
  })
})

test('sends no absent key, and no run id outside of runs', async () => {
  const { server } = await pair()
  const client = clientOf(server.baseUrl, null)
  await client.complete({ ...request, run_id: null }, { timeoutMs: 5000 })
  const names = Object.keys(server.calls[0]?.headers ?? {})
  expect(names).not.toContain('authorization')
  expect(names).not.toContain('x-sluice-run')
})

describe('errors and their effects', () => {
  type Row = [BehaviourName, string, 'blocks' | 'retryable' | 'final', number | null, number | null]
  const rows: Row[] = [
    ['rate_limited_seconds', 'provider_rate_limited', 'retryable', 429, 7000],
    ['rate_limited_date', 'provider_rate_limited', 'retryable', 429, 30_000],
    ['rate_limited_ms', 'provider_rate_limited', 'retryable', 429, 250],
    ['insufficient_quota', 'provider_billing', 'blocks', 429, 7000],
    ['payment_required', 'provider_billing', 'blocks', 402, null],
    ['unauthorized', 'provider_auth', 'blocks', 401, null],
    ['forbidden', 'provider_auth', 'blocks', 403, null],
    ['no_model', 'model_unavailable', 'blocks', 404, null],
    ['redirect', 'provider_error', 'blocks', 307, null],
    ['server_error', 'provider_error', 'retryable', 500, null],
    ['overloaded', 'provider_error', 'retryable', 503, 2000],
    ['error_in_answer', 'provider_rate_limited', 'retryable', 429, null],
    ['html', 'provider_error', 'retryable', null, null],
    ['broken_json', 'provider_error', 'retryable', null, null],
    ['empty', 'provider_error', 'retryable', null, null],
    ['cut', 'provider_error', 'retryable', null, null],
    ['cut_within', 'provider_error', 'retryable', null, null],
    ['too_long', 'content_too_large', 'final', 400, null],
    ['filtered', 'judge_refused', 'final', 400, null],
    ['flagged', 'judge_refused', 'final', 403, null],
    ['bad_request', 'provider_error', 'final', 400, null]
  ]
  test.each(rows)('%s: %s, %s', async (behaviour, status_reason, effect, http_status, wait) => {
    const { server, client } = await pair()
    server.behave(behaviour)
    const error = await errorOf(client)
    expect({ ...error }).toEqual({
      name: 'JudgeError',
      status_reason,
      retryable: effect !== 'final',
      blocks: effect === 'blocks',
      http_status,
      retryAfterMs: wait,
      calls: 1
    })
    // The client sends one request only, because its callers decide on retries.
    expect(server.calls).toHaveLength(1)
    expect(error.message.length).toBeLessThan(100)
    expect(error.message).not.toMatch(/sk-|judge this/)
    expect(error.cause).toBeUndefined()
  })

  test('limits an excessive wait', async () => {
    const { server, client } = await pair()
    server.script({ status: 429, headers: { 'retry-after': '86400' }, error: {} })
    server.script({ status: 429, headers: { 'retry-after': 'soon' }, error: {} })
    server.script({ status: 429, headers: { 'retry-after-ms': '-5' }, error: {} })
    expect((await errorOf(client)).retryAfterMs).toBe(3_600_000)
    expect((await errorOf(client)).retryAfterMs).toBeNull()
    expect((await errorOf(client)).retryAfterMs).toBe(0)
  })

  test('repeats a code only if it looks like one', async () => {
    const { server, client } = await pair()
    server.script({ status: 500, error: { code: 'server_error' } })
    server.script({ status: 500, error: { code: apiKey } })
    server.script({ status: 500, error: { code: 'The prompt was: judge this' } })
    expect((await errorOf(client)).message).toBe('the provider responded with 500 (server_error)')
    expect((await errorOf(client)).message).toBe('the provider responded with 500')
    expect((await errorOf(client)).message).toBe('the provider responded with 500')
  })

  test.each([400.5, 600, 99_999_999_999])('rejects the status %d', async (code) => {
    const { server, client } = await pair()
    server.script({ error: { code } })
    expect((await errorOf(client)).http_status).toBe(502)
  })

  test('times out', async () => {
    const { server, client } = await pair()
    server.hold()
    expect(await errorOf(client, 50)).toMatchObject({
      status_reason: 'timeout',
      retryable: true,
      blocks: false,
      message: 'no response within 50 ms'
    })
    server.release()
  })

  test('reports an unreachable server, and an address that is not allowed', async () => {
    expect(await errorOf(clientOf('http://127.0.0.1:1/v1'))).toMatchObject({
      status_reason: 'provider_unreachable',
      retryable: true,
      blocks: false
    })
    expect(await errorOf(clientOf('http://169.254.169.254/v1'))).toMatchObject({
      status_reason: 'provider_unreachable',
      blocks: true
    })
  })

  test("an aborted call rejects with the caller's reason, and the server sees it end", async () => {
    const { server, client } = await pair()
    server.hold()
    const controller = new AbortController()
    const { signal } = controller
    const call = client.complete(request, { timeoutMs: 5000, signal })
    const reason = new Error('shutting down')
    const ended = expect(call).rejects.toBe(reason)
    await waitUntil('the call to arrive', () => server.open() === 1)
    controller.abort(reason)
    await ended
    await waitUntil('the call to end', () => server.open() === 0)
    server.release()
  })
})

describe('a server with fewer features gets a simpler request after one error', () => {
  test.each([
    [['json_schema'], 2, { response_format: { type: 'json_object' }, max_tokens: 1024 }],
    [['json_schema', 'json_object'], 3, { max_tokens: 1024, temperature: 0 }],
    [['max_tokens'], 2, { max_completion_tokens: 1024, temperature: 0 }],
    [['temperature', 'max_tokens', 'json_schema'], 4, { max_completion_tokens: 1024 }]
  ] as const)('without %j', async (lacks, calls, sent) => {
    const { server, client } = await pair({ lacks })
    const first = await client.complete(request, { timeoutMs: 5000 })
    expect(first.calls).toBe(calls)
    expect(server.calls.at(-1)?.body).toMatchObject(sent)
    expect((await client.complete(request, { timeoutMs: 5000 })).calls).toBe(1)
  })

  test('the dialect is kept per model', async () => {
    const { server, client } = await pair({ lacks: ['json_schema'] })
    await client.complete(request, { timeoutMs: 5000 })
    await client.complete({ ...request, model: 'other' }, { timeoutMs: 5000 })
    const formats = server.calls.map(({ body }) => body.response_format?.type)
    expect(formats).toEqual(['json_schema', 'json_object', 'json_schema', 'json_object'])
  })

  test('concurrent calls share what they learn', async () => {
    const { client } = await pair({ lacks: ['json_schema', 'max_tokens'] })
    const both = Array.from({ length: 8 }, () => client.complete(request, { timeoutMs: 5000 }))
    for (const { calls } of await Promise.all(both)) expect(calls).toBeLessThanOrEqual(3)
    expect((await client.complete(request, { timeoutMs: 5000 })).calls).toBe(1)
  })

  test('a server that rejects everything is tried a limited number of times', async () => {
    const { server, client } = await pair()
    const message = 'no temperature, no max_tokens, no response_format'
    server.behave({ status: 400, error: { message } })
    expect(await errorOf(client)).toMatchObject({ status_reason: 'provider_error', calls: 5 })
    expect(server.calls).toHaveLength(5)
  })
})

test.each([
  ['without_usage', null, null],
  ['strange_usage', null, null],
  [{ usage: { prompt_tokens: 1_000_000_001, completion_tokens: 2 ** 53 - 1 } }, null, null]
] as const)('%j is unknown usage, never 0', async (behaviour, input_tokens, output_tokens) => {
  const { server, client } = await pair()
  server.behave(behaviour)
  const reply = await client.complete(request, { timeoutMs: 5000 })
  expect(reply).toMatchObject({ input_tokens, output_tokens })
})

test('a refusal of the model is a reply', async () => {
  const { server, client } = await pair()
  server.behave('refusal')
  expect(await client.complete(request, { timeoutMs: 5000 })).toMatchObject({
    text: null,
    refusal: 'I cannot grade this.'
  })
})
