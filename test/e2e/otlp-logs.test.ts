/** Tests log records of OpenTelemetry end to end: HTTP → Kafka → Postgres. */
import { beforeAll, expect, test } from '@jest/globals'
import { decisionIdOf } from '../../core/decision/of-span.ts'
import type { Application } from '../support/application.ts'
import { createInstallation } from '../support/installation.ts'
import type { Installation, Tenant } from '../support/installation.ts'
import { endOffsets, waitUntilConsumed } from '../support/kafka.ts'
import {
  aLogRecord,
  aSpan,
  answerIn,
  contentTypes,
  exportOf,
  idOf,
  logsOf,
  traceId
} from '../support/otlp-export.ts'
import { waitUntil } from '../support/wait-until.ts'

let sluice: Installation
let tenant: Tenant
let gateway: Application

beforeAll(async () => {
  sluice = await createInstallation()
  tenant = await sluice.createTenant({ scopes: ['ingest', 'evaluation:write'] })
  ;[gateway] = await Promise.all([sluice.start('gateway'), sluice.start('storage')])
})

const details = 'gen_ai.client.inference.operation.details'
const chat = {
  'gen_ai.operation.name': 'chat',
  'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'Is it due?' }] }],
  'gen_ai.output.messages': '[{"role":"assistant","parts":[{"type":"text","content":"Yes."}]}]'
}

async function post(signal: 'traces' | 'logs', body: Buffer) {
  const answer = await fetch(`${gateway.url}/v1/${signal}`, {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { authorization: `Bearer ${tenant.api_key}`, 'content-type': contentTypes.protobuf }
  })
  const bytes = Buffer.from(await answer.arrayBuffer())
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    answer: answer.ok ? answerIn('protobuf', bytes) : {}
  }
}

/** Sends a request until it gets another response than 429, as an exporter does. */
async function postWithRetries(body: Buffer) {
  return await waitUntil('a response other than 429', async () => {
    const reply = await post('logs', body)
    return reply.status === 429 ? null : reply
  })
}

/** Returns the output of the decision of a span, after storage has read the whole topic. */
async function storedOutputs(spanId: string): Promise<unknown[]> {
  await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions)
  const rows = await sluice.database.query(
    'select output::text as output from decisions where decision_id = $1',
    [decisionIdOf(`${traceId}:${spanId}`)]
  )
  return rows.map(({ output }) => output)
}

test.each([
  ['the log records', idOf(1), ['logs', 'traces']],
  ['the span', idOf(2), ['traces', 'logs']]
] as const)('a call is stored once if %s arrive first', async (_what, spanId, order) => {
  const bodies = {
    logs: logsOf('protobuf', [aLogRecord(details, chat, { spanId })]),
    traces: exportOf('protobuf', [aSpan({ ...chat, 'gen_ai.agent.name': 'claims' }, { spanId })])
  }
  for (const signal of [...order, ...order]) {
    expect(await post(signal, bodies[signal])).toMatchObject({ status: 200, answer: {} })
  }
  expect(await storedOutputs(spanId)).toEqual(['"Yes."'])
  const dead = [...(await endOffsets(sluice.topics.decisionsDeadLetter)).values()]
  expect(dead.every((end) => end === 0n)).toBe(true)
})

test('a score waits for its decision, and is stored once', async () => {
  const spanId = idOf(3)
  const evaluation = aLogRecord(
    'gen_ai.evaluation.result',
    { 'gen_ai.evaluation.name': 'relevance', 'gen_ai.evaluation.score.value': 0.75 },
    { spanId, timeUnixNano: `${Date.now()}000000` }
  )
  const body = logsOf('protobuf', [evaluation])
  expect(await post('logs', body)).toMatchObject({ status: 429, retryAfter: '2' })
  await post('traces', exportOf('protobuf', [aSpan(chat, { spanId })]))
  for (let sent = 0; sent < 2; sent++) {
    expect(await postWithRetries(body)).toMatchObject({ status: 200, answer: {} })
  }
  const pushed = await sluice.database.query(
    `select evaluator, result::jsonb -> 'scores' -> 0 -> 'value' as value
       from pending_runs where decision_id = $1`,
    [decisionIdOf(`${traceId}:${spanId}`)]
  )
  expect(pushed).toEqual([{ evaluator: 'relevance', value: 0.75 }])
})

test('an old score without a decision is rejected, and the others are stored', async () => {
  const spanId = idOf(4)
  const evaluation = aLogRecord(
    'gen_ai.evaluation.result',
    { 'gen_ai.evaluation.name': 'relevance', 'gen_ai.evaluation.score.value': 1 },
    { spanId: idOf(5) }
  )
  const call = aLogRecord(details, chat, { spanId })
  const { status, answer } = await postWithRetries(logsOf('protobuf', [evaluation, call]))
  expect(status).toBe(200)
  expect(answer.partialSuccess?.errorMessage).toContain('no decision of the span is stored')
  expect(await storedOutputs(spanId)).toEqual(['"Yes."'])
})
