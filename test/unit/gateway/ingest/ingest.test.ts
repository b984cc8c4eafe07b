/** Tests the ingest path: its steps run in order, an error ends the path at the step that failed,
 * and each call has one outcome.
 */
import { describe, expect, test } from '@jest/globals'
import { isLong } from '../../../../core/json/steps.ts'
import { Problem } from '../../../../core/problem.ts'
import type { ProblemCode } from '../../../../core/problem.ts'
import type { Call } from '../../../../http/call.ts'
import { createFairShare } from '../../../../http/admission/fair-share.ts'
import type { DecisionBatch } from '../../../../gateway/ingest/decision-batch.ts'
import { createEncoder } from '../../../../gateway/ingest/encode.ts'
import { createIngest } from '../../../../gateway/ingest/ingest.ts'
import { loadKernel } from '../../../../gateway/ingest/kernel/kernel.ts'
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
  noKernel,
  principal,
  quota,
  recordAt
} from './fakes.ts'

type Step =
  | 'authenticate'
  | 'look for spent'
  | 'read body'
  | 'begin long body'
  | 'encode'
  | 'end long body'
  | 'limit rate'
  | 'limit agent'
  | 'produce'

const untilRead: Step[] = ['authenticate', 'look for spent', 'read body']
const untilEncoded: Step[] = [...untilRead, 'encode']
const untilAdmitted: Step[] = [...untilEncoded, 'limit rate', 'limit agent']

/**
 * Creates the ingest path with fake services. Each step records its call, or fails with its error
 * in `failures`. Like the real ones, the last steps skip a rejected decision. By default, only the
 * parser reads bodies, so that each decision is encoded in a step of its own.
 */
function scene(
  failures: Partial<Record<Step, Error>> = {},
  kernel = noKernel,
  pool = new BufferPool()
) {
  const metrics = new RecordingMetrics()
  const steps: Step[] = []
  const log: (DecodedRecord | null)[] = []

  function enter(step: Step): void {
    steps.push(step)
    const failure = failures[step]
    if (failure) throw failure
  }

  /** Takes the step unless the decision is rejected. If the step fails, rejects the decision. */
  function rejectAt(step: Step, { problems }: DecisionBatch): void {
    if (problems[0] !== null) return
    steps.push(step)
    problems[0] = (failures[step] ?? null) as Problem | null
  }

  const limitRate = async () => {
    steps.push('limit rate')
    const problem = (failures['limit rate'] ?? null) as Problem | null
    return { ...quota, granted: problem === null ? 1 : 0, problem }
  }
  const encoder = createEncoder({ schemaId: () => 1, metrics })
  const encode: typeof encoder.encode = (...given) => {
    enter('encode')
    return encoder.encode(...given)
  }
  const { readOne } = createReaders({ kernel, pool, metrics, encoder: { ...encoder, encode } })
  const ingest = createIngest({
    authenticate: async () => {
      enter('authenticate')
      return principal
    },
    findSpent: () => {
      steps.push('look for spent')
      const problem = (failures['look for spent'] ?? null) as Problem | null
      return problem === null ? null : { ...quota, problem }
    },
    shareLong: createFairShare({ what: 'bodies', atOnceMax: 1, waitingMax: 32 }),
    readOne,
    limitRate,
    limitAgents: async (batch) => rejectAt('limit agent', batch),
    produce: async (batch) => {
      rejectAt('produce', batch)
      if (batch.problems[0] === null) log.push(recordAt(batch, 0))
    },
    outcomes: createOutcomes({ limitRate, metrics, usage: createNotes().notes })
  })
  const counted = () => metrics.labelsOf('sluice_ingest_outcomes_total')
  const useBody = (body: Buffer): Call['useBody'] => {
    return async ({ inShare }, use) => {
      enter('read body')
      if (!isLong(body) || inShare === undefined) return use(body)
      return inShare(async () => {
        steps.push('begin long body')
        const used = await use(body)
        steps.push('end long body')
        return used
      })
    }
  }
  return { ingest, steps, log, counted, useBody }
}

type Scene = ReturnType<typeof scene>

function send({ ingest, useBody }: Scene, body: unknown, headers: Call['headers'] = {}) {
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  return ingest(
    callOf({
      headers: { 'content-type': 'application/json', ...headers },
      useBody: useBody(bytes)
    })
  )
}

test('a decision takes every step and is acknowledged once Kafka has it', async () => {
  const path = scene()
  const body = aDecisionBody()
  const reply = await send(path, body)
  expect(path.steps).toEqual([...untilAdmitted, 'produce'])
  expect(reply.status).toBe(202)
  expect(JSON.parse(reply.body)).toEqual({ decision_id: body['decision_id'], queued: true })
  expect(reply.headers['ratelimit']).toBe('"organization";r=9;t=60')
  expect(path.log[0]?.headers).toMatchObject({ decision_id: body['decision_id'] })
})

test('passes the traceparent of the request on with the record', async () => {
  const path = scene()
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  await send(path, aDecisionBody(), { traceparent })
  expect(path.log[0]?.headers).toMatchObject({ traceparent })
})

describe('an error ends the path at its step', () => {
  test.each<[Step, ProblemCode, Step[]]>([
    ['authenticate', 'api_key_invalid', ['authenticate']],
    ['look for spent', 'rate_limited', ['authenticate', 'look for spent']],
    ['read body', 'payload_too_large', [...untilRead, 'limit rate']],
    ['encode', 'schema_unavailable', [...untilEncoded, 'limit rate']],
    ['limit rate', 'rate_limited', [...untilEncoded, 'limit rate']],
    ['limit agent', 'rate_limited', untilAdmitted],
    ['produce', 'log_unavailable', [...untilAdmitted, 'produce']]
  ])('%s: %s', async (step, code, steps) => {
    const path = scene({ [step]: new Problem(code, { detail: 'No.' }) })
    const problem = await problemOf(send(path, aDecisionBody()))
    expect(problem.code).toBe(code)
    expect(path.steps).toEqual(steps)
    expect(path.log).toEqual([])
    expect(path.counted()).toEqual([{ outcome: 'rejected', reason: code }])
  })
})

test.each<Step>(['encode', 'limit rate', 'limit agent', 'produce'])(
  'an error of %s carries the decision_id, so that a retry is safe',
  async (step) => {
    const path = scene({ [step]: new Problem('overloaded', { detail: 'No.' }) })
    const { decision_id, ...body } = aDecisionBody()
    expect((await problemOf(send(path, { ...body, decision_id }))).options.members).toEqual({
      decision_id
    })
    const made = (await problemOf(send(path, body))).options.members
    expect(made?.['decision_id']).toMatch(/^[0-9a-f-]{36}$/)
  }
)

test('handles one long body per organization at a time, from parse to encode', async () => {
  const path = scene()
  const long = aDecisionBody({ input: 'x'.repeat(300_000) })
  const [first, second, short] = [send(path, long), send(path, long), send(path, aDecisionBody())]
  await short
  const untilShort = path.steps.splice(0)
  expect(untilShort.filter((step) => step === 'encode')).toHaveLength(1)
  expect(untilShort.filter((step) => step === 'begin long body')).toHaveLength(1)
  await Promise.all([first, second])
  const inShare: Step[] = ['begin long body', 'encode', 'end long body']
  expect(path.steps.filter((step) => inShare.includes(step))).toEqual([
    ...inShare.slice(1),
    ...inShare
  ])
  expect(path.steps.filter((step) => step === 'produce')).toHaveLength(2)
})

describe.each(kernels)(
  'with %s, rejects invalid bodies, which never reach Kafka',
  (_name, kernel) => {
    const valid = JSON.stringify(aDecisionBody())

    test.each<[ProblemCode, string, unknown]>([
      ['malformed_json', 'nothing', ''],
      ['malformed_json', 'text', 'hello'],
      ['malformed_json', 'a truncated body', valid.slice(0, -1)],
      ['malformed_json', 'a body with extra text', `${valid}{}`],
      ['malformed_encoding', 'Latin-1', Buffer.from('{"input":1,"output":"\xe9"}', 'latin1')],
      ['invalid_decision', 'an empty object', {}],
      ['invalid_decision', 'a list', [aDecisionBody()]],
      ['invalid_decision', 'a number for the output', aDecisionBody({ output: 1 })],
      ['invalid_decision', 'an unpaired surrogate', '{"input":"\\ud800","output":""}'],
      ['invalid_decision', 'excessive nesting', `{"input":${'['.repeat(100_000)}`],
      ['invalid_decision', 'a duplicate member', '{"input":1,"input":2,"output":""}'],
      ['payload_too_large', 'a decision too large', aDecisionBody({ output: 'x'.repeat(4 << 20) })]
    ])('%s: %s', async (code, _what, body) => {
      const path = scene({}, kernel)
      expect((await problemOf(send(path, body))).code).toBe(code)
      expect(path.log).toEqual([])
      expect(path.counted()).toEqual([{ outcome: 'rejected', reason: code }])
    })

    test('unsupported_media_type: a form', async () => {
      const path = scene({}, kernel)
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      expect((await problemOf(send(path, valid, headers))).code).toBe('unsupported_media_type')
      expect(path.log).toEqual([])
    })
  }
)

test('passes on and counts an unexpected error', async () => {
  const bug = new TypeError('a bug')
  const path = scene({ encode: bug })
  await expect(send(path, aDecisionBody())).rejects.toBe(bug)
  expect(path.counted()).toEqual([{ outcome: 'rejected', reason: 'internal_error' }])
})

describe.each(kernels)('with %s', (_name, kernel) => {
  test('counts one outcome per call and one record per queued decision', async () => {
    const path = scene({}, kernel)
    const bodies = [aDecisionBody(), '{', {}, aDecisionBody(), '[]', aDecisionBody({ domain: 1 })]
    await Promise.allSettled(bodies.map((body) => send(path, body)))
    const outcomes = path.counted()
    expect(outcomes).toHaveLength(bodies.length)
    expect(outcomes.filter(({ outcome }) => outcome === 'queued')).toHaveLength(path.log.length)
    expect(path.log).toHaveLength(2)
  })

  test('acknowledges a decision with its id, and produces its record', async () => {
    const path = scene({}, kernel)
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const body = aDecisionBody()
    const { decision_id } = body
    const reply = await send(path, body, { traceparent })
    expect(JSON.parse(reply.body)).toEqual({ decision_id, queued: true })
    const { organization_id } = principal
    expect(path.log[0]?.headers).toEqual({ decision_id, organization_id, traceparent })
    expect(path.log[0]?.key?.toString()).toBe(body['agent_id'])
  })
})

test('returns the slab of the kernel to the pool after an acknowledgement', async () => {
  const pool = new RecordingPool()
  const body = aDecisionBody()
  const reply = await send(scene({}, loadKernel(), pool), body)
  expect(JSON.parse(reply.body)).toMatchObject({ decision_id: body['decision_id'] })
  expect(pool.taken).toHaveLength(1)
  expect(pool.given).toEqual(pool.taken)
})
