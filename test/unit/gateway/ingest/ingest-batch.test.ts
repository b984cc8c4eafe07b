/** Tests the ingestion of batches: the result of each item, and the response. */
import { beforeAll, describe, expect, test } from '@jest/globals'
import { isLong } from '../../../../core/json/steps.ts'
import { Problem } from '../../../../core/problem.ts'
import type { Call, Reply } from '../../../../http/call.ts'
import { createFairShare } from '../../../../http/admission/fair-share.ts'
import { createBatchOutcomes } from '../../../../gateway/ingest/batch-outcomes.ts'
import type { DecisionBatch } from '../../../../gateway/ingest/decision-batch.ts'
import { idempotentIdOf } from '../../../../gateway/ingest/idempotent-id.ts'
import { createIngestBatch } from '../../../../gateway/ingest/ingest-batch.ts'
import { loadKernel } from '../../../../gateway/ingest/kernel/kernel.ts'
import type { Quota } from '../../../../gateway/ingest/limit-rate.ts'
import { createOutcomes } from '../../../../gateway/ingest/outcomes.ts'
import { BufferPool } from '../../../../platform/process/buffer-pool.ts'
import { aDecisionBody } from '../../../support/builders.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'
import { callOf, problemOf } from '../../api/fakes.ts'
import { RecordingPool } from '../../platform/kafka/producer/records.ts'
import type { DecodedRecord } from '../../platform/kafka/producer/records.ts'
import {
  createNotes,
  createReaders,
  kernels,
  organizationId,
  principal,
  quota,
  recordAt
} from './fakes.ts'

interface Scene {
  /** Number of items that the rate limit grants. Default: all items. */
  readonly granted?: number
  /** Whether the rate-limit window is known to be used up. */
  readonly isSpent?: boolean
  /** Problems that the producer reports, by `agent_id`. */
  readonly failures?: Readonly<Record<string, Problem>>
  readonly pool?: BufferPool
}

let [[, kernel]] = kernels as [(typeof kernels)[number]]

const limited = new Problem('rate_limited', { detail: 'No.', headers: { 'retry-after': '7' } })
const away = new Problem('log_unavailable', { detail: 'No.', headers: { 'retry-after': '2' } })

const loopProblem = (agent: string | null) => (agent === 'in-a-loop' ? limited : null)

/** Rejects each decision that is not rejected and for which `problemOf` returns a problem. */
function rejectEach({ problems }: DecisionBatch, problemOf: (index: number) => Problem | null) {
  for (const index of problems.keys()) problems[index] ??= problemOf(index)
}

function scene({ granted, isSpent = false, failures = {}, pool }: Scene = {}) {
  const metrics = new RecordingMetrics()
  const { notes: usage } = createNotes()
  const log: DecodedRecord[] = []
  const reports: unknown[] = []
  const charged: number[] = []
  const reported: string[] = []
  const limitRate = (_who: unknown, items: number): Quota => {
    charged.push(items)
    const fits = Math.min(items, granted ?? items)
    return { ...quota, granted: fits, problem: fits < items ? limited : null }
  }
  const ingestBatch = createIngestBatch({
    authenticate: () => Promise.resolve(principal),
    findSpent: () => (isSpent ? { ...quota, granted: 0, problem: limited } : null),
    shareLong: createFairShare({ what: 'bodies', atOnceMax: 1, waitingMax: 32 }),
    takeClientReport: ({ client_report }) => void reports.push(client_report),
    readBatch: createReaders({ kernel, pool: pool ?? new BufferPool(), metrics }).readBatch,
    limitRate,
    limitAgents: async (batch) => rejectEach(batch, (index) => loopProblem(batch.agentAt(index))),
    produce: async (batch) =>
      rejectEach(batch, (index) => {
        const record = recordAt(batch, index)
        const failure = failures[record?.key?.toString() ?? ''] ?? null
        if (record !== null && failure === null) log.push(record)
        return failure
      }),
    outcomes: createBatchOutcomes({
      outcomes: createOutcomes({ limitRate, metrics, usage }),
      ...{ limitRate, metrics, usage },
      reportRejection: ({ code }) => void reported.push(code)
    })
  })
  let reads = 0
  const send = (body: unknown, headers: Call['headers'] = {}): Promise<Reply> => {
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
    const json = { 'content-type': 'application/json', ...headers }
    const useBody: Call['useBody'] = ({ inShare }, use) => {
      reads += 1
      return isLong(bytes) && inShare !== undefined ? inShare(() => use(bytes)) : use(bytes)
    }
    return ingestBatch(callOf({ headers: json, useBody, body_bytes: bytes.length }))
  }
  const counted = () =>
    metrics.counts
      .filter(({ name }) => name === 'sluice_ingest_outcomes_total')
      .map(({ labels, value }) => [labels['reason'], value])
  return { send, log, charged, reports, reported, counted, reads: () => reads }
}

/** Returns the body of a response, which is text or bytes. */
function bodyOf({ body, bytes }: Reply): string {
  return bytes === undefined ? body : Buffer.from(bytes).toString()
}

function resultsOf(reply: Reply) {
  const body = bodyOf(reply)
  return (JSON.parse(body) as { results: Record<string, unknown>[] }).results
}

describe.each(kernels)('with %s', (_name, kernelOfTest) => {
  beforeAll(() => void (kernel = kernelOfTest))
  test('returns 202 with every id in order when all items are queued', async () => {
    const { send, log, counted } = scene()
    const decisions = [aDecisionBody(), { input: 1, output: '' }]
    const reply = await send({ decisions })
    expect(reply.status).toBe(202)
    expect(resultsOf(reply)).toEqual([
      { index: 0, decision_id: decisions[0]?.['decision_id'], queued: true },
      { index: 1, decision_id: expect.stringMatching(/^[0-9a-f-]{36}$/), queued: true }
    ])
    expect(log).toHaveLength(2)
    expect(counted()).toEqual([['', 2]])
    expect(reply.headers['ratelimit']).toBe('"organization";r=9;t=60')
  })

  test('rejects an invalid item alone, with its index, reason and id', async () => {
    const { send, log, charged, counted } = scene()
    const bad = aDecisionBody()
    delete bad['output']
    const reply = await send({ decisions: [{ input: 1, output: 'a' }, bad, 7] })
    expect(reply.status).toBe(207)
    expect(resultsOf(reply).slice(1)).toMatchObject([
      {
        index: 1,
        decision_id: bad['decision_id'],
        queued: false,
        retryable: false,
        problem: { code: 'invalid_decision', errors: [{ pointer: '/output' }] }
      },
      { index: 2, decision_id: null, problem: { code: 'invalid_decision' } }
    ])
    expect(log).toHaveLength(1)
    expect(charged).toEqual([3])
    expect(counted()).toEqual([
      ['invalid_decision', 1],
      ['invalid_decision', 1],
      ['', 1]
    ])
  })

  test('accepts the first items that fit the limit; the rest are retryable', async () => {
    const { send, log } = scene({ granted: 2 })
    const item = { input: 1, output: '' }
    const reply = await send({ decisions: [item, { input: 1 }, item, item] })
    expect(reply.status).toBe(207)
    expect(reply.headers['retry-after']).toBe('7')
    expect(resultsOf(reply).map(({ queued, retryable }) => [queued, retryable])).toEqual([
      [true, undefined],
      [false, false],
      [false, true],
      [false, true]
    ])
    expect(log).toHaveLength(1)
  })

  test('rejects a batch unread when the limit is used up, without results', async () => {
    const { send, reads, charged, counted } = scene({ isSpent: true })
    const problem = await problemOf(send({ decisions: [aDecisionBody()] }))
    expect(problem.code).toBe('rate_limited')
    expect(problem.options.headers).toEqual({ ...quota.headers, 'retry-after': '7' })
    expect(problem.options.members).toEqual({})
    expect([reads(), charged, counted()]).toEqual([0, [], [['rate_limited', 1]]])
  })

  describe('charges rejected items by their size', () => {
    const large = { input: 'x'.repeat(200_000) }

    test('on top of the point for each item', async () => {
      const { send, charged } = scene()
      const reply = await send({ decisions: [{ ...large, output: '' }, large, { input: 1 }] })
      expect(reply.status).toBe(207)
      expect(charged).toEqual([3, 3])
    })

    test('for lines too, JSON or not', async () => {
      const { send, charged } = scene()
      const lines = [{ ...large, output: '' }, large].map((item) => JSON.stringify(item))
      const headers = { 'content-type': 'application/x-ndjson' }
      await send([...lines, 'x'.repeat(100_000)].join('\n'), headers)
      expect(charged).toEqual([3, 3 + 1])
    })

    test('except retryable ones', async () => {
      const { send, charged } = scene({ granted: 0 })
      await send({ decisions: [{ ...large, output: '' }] })
      expect(charged).toEqual([1])
    })
  })

  test('handles a long batch like a short one', async () => {
    const { send, log } = scene()
    const valid = { input: 'x'.repeat(2000), output: '' }
    const decisions = Array.from({ length: 300 }, (_, at) => (at % 3 === 0 ? {} : valid))
    const results = resultsOf(await send({ decisions }))
    expect(results.map(({ queued }) => queued)).toEqual(decisions.map((item) => item === valid))
    expect(log).toHaveLength(200)
  })

  test('an agent over its limit does not affect other items', async () => {
    const { send, log } = scene()
    const [hot, calm] = ['in-a-loop', 'calm'].map((agent_id) => aDecisionBody({ agent_id }))
    const reply = await send({ decisions: [hot, calm, hot] })
    expect(resultsOf(reply).map(({ queued }) => queued)).toEqual([false, true, false])
    expect(resultsOf(reply)[0]).toMatchObject({
      retryable: true,
      problem: { code: 'rate_limited' }
    })
    expect(log).toHaveLength(1)
  })

  test('an item that Kafka rejects fails alone and keeps its id', async () => {
    const { send, reported } = scene({ failures: { bad: away } })
    const good = aDecisionBody({ agent_id: 'good' })
    const bad = aDecisionBody({ agent_id: 'bad' })
    delete bad['decision_id']
    const reply = await send({ decisions: [good, bad] })
    expect(reply.status).toBe(207)
    expect(reply.headers['retry-after']).toBe('2')
    expect(reported).toEqual(['log_unavailable'])
    expect(resultsOf(reply)[1]).toMatchObject({
      decision_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      retryable: true,
      problem: { code: 'log_unavailable', status: 503 }
    })
  })

  describe('when no valid item is accepted', () => {
    test.each([
      ['429', { granted: 0 }, 429, '7'],
      ['503', { failures: { a: away } }, 503, '2']
    ])('the response is %s with the ids', async (_what, failing, status, retryAfter) => {
      const { send } = scene(failing)
      const valid = aDecisionBody({ agent_id: 'a' })
      const reply = await send({ decisions: [valid, { input: 1 }] })
      expect(reply.status).toBe(status)
      expect(reply.headers['content-type']).toBe('application/problem+json')
      expect(reply.headers['retry-after']).toBe(retryAfter)
      expect(reply.headers['ratelimit']).toBeDefined()
      expect(resultsOf(reply)).toMatchObject([
        { index: 0, decision_id: valid['decision_id'], retryable: true },
        { index: 1, retryable: false }
      ])
    })

    test('because all are invalid, the response is 207', async () => {
      expect((await scene().send({ decisions: [{}, 1] })).status).toBe(207)
    })
  })

  test('rejects a malformed batch as a whole and counts it once', async () => {
    const { send, charged, counted } = scene()
    const problem = await problemOf(send('{"decisions":[]}'))
    expect(problem.code).toBe('invalid_batch')
    expect(problem.options.headers?.['ratelimit']).toBeDefined()
    expect(charged).toEqual([1])
    expect(counted()).toEqual([['invalid_batch', 1]])
  })

  test('derives the ids of items without an id from the Idempotency-Key', async () => {
    const { send } = scene()
    const own = aDecisionBody()
    const decisions = [{ input: 1, output: '' }, own, { input: 1 }]
    const headers = { 'idempotency-key': '"job-7"' }
    const ids = idempotentIdOf('"job-7"')
    const results = resultsOf(await send({ decisions }, headers))
    expect(results.map(({ decision_id }) => decision_id)).toEqual([
      ids?.(organizationId, 0),
      own['decision_id'],
      ids?.(organizationId, 2)
    ])
  })

  test('returns 202 without results for a report alone', async () => {
    const { send, reports } = scene()
    const reply = await send({ client_report: { dropped: {} } })
    expect([reply.status, bodyOf(reply)]).toEqual([202, '{"results":[]}'])
    expect(reports).toEqual([{ dropped: {} }])
  })
})

test('returns the slab of the kernel to the pool after the response is built', async () => {
  const pool = new RecordingPool()
  kernel = loadKernel()
  const own = aDecisionBody()
  const results = resultsOf(await scene({ pool }).send({ decisions: [own, { input: 1 }] }))
  expect(results.map(({ queued }) => queued)).toEqual([true, false])
  expect(results[0]?.['decision_id']).toBe(own['decision_id'])
  expect(pool.taken).toHaveLength(1)
  expect(pool.given).toEqual(pool.taken)
})
