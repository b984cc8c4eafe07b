/** The line of ingest: its order, where each refusal ends it, and one outcome for each call. */
import { describe, expect, test } from '@jest/globals'
import { isLong } from '../../../../core/json/steps.ts'
import { Problem } from '../../../../core/problem.ts'
import type { ProblemCode } from '../../../../core/problem.ts'
import type { Call } from '../../../../http/call.ts'
import { createFairShare } from '../../../../http/admission/fair-share.ts'
import { createEncode } from '../../../../gateway/ingest/encode.ts'
import { createIngest } from '../../../../gateway/ingest/ingest.ts'
import { createOutcomes } from '../../../../gateway/ingest/outcomes.ts'
import { createValidate } from '../../../../gateway/ingest/validate.ts'
import type { OutgoingRecord } from '../../../../platform/kafka/record-producer.ts'
import { aDecisionBody, noon } from '../../../support/builders.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'
import { callOf, problemOf } from '../../api/fakes.ts'
import { createNotes, principal, quota } from './fakes.ts'

type Step =
  | 'authenticate'
  | 'look for spent'
  | 'read body'
  | 'limit rate'
  | 'limit agent'
  | 'encode'
  | 'produce'

const untilRead: Step[] = ['authenticate', 'look for spent', 'read body']
const untilAdmitted: Step[] = [...untilRead, 'limit rate', 'limit agent']

/** The real line between fakes of what is away: each step notes that it ran, or fails as told. */
function scene(failures: Partial<Record<Step, Error>> = {}) {
  const metrics = new RecordingMetrics()
  const steps: Step[] = []
  const log: OutgoingRecord[] = []

  function enter(step: Step): void {
    steps.push(step)
    const failure = failures[step]
    if (failure) throw failure
  }

  const limitRate = async () => {
    steps.push('limit rate')
    const refusal = (failures['limit rate'] ?? null) as Problem | null
    return { ...quota, granted: refusal === null ? 1 : 0, refusal }
  }
  const encode = createEncode({ topic: 'decisions', schemaId: () => 1, metrics })
  const ingest = createIngest({
    authenticate: async () => {
      enter('authenticate')
      return principal
    },
    findSpent: () => {
      steps.push('look for spent')
      const refusal = (failures['look for spent'] ?? null) as Problem | null
      return refusal === null ? null : { ...quota, refusal }
    },
    shareLong: createFairShare({ what: 'bodies', atOnceMax: 1, waitingMax: 32 }),
    validate: createValidate({ clock: { now: () => noon }, metrics }),
    limitRate,
    limitAgent: () => {
      steps.push('limit agent')
      return (failures['limit agent'] ?? null) as Problem | null
    },
    encode: (decision, traceparent) => {
      enter('encode')
      return encode(decision, traceparent)
    },
    produce: async (record) => {
      enter('produce')
      log.push(record)
    },
    outcomes: createOutcomes({ limitRate, metrics, facts: createNotes().notes })
  })
  const counted = () => metrics.labelsOf('sluice_ingest_outcomes_total')
  const useBody = (body: Buffer): Call['useBody'] => {
    return async ({ inShare }, use) => {
      enter('read body')
      return isLong(body) && inShare !== undefined ? inShare(() => use(body)) : use(body)
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

test('a decision goes the whole line and is acknowledged after the log has it', async () => {
  const line = scene()
  const body = aDecisionBody()
  const reply = await send(line, body)
  expect(line.steps).toEqual([...untilAdmitted, 'encode', 'produce'])
  expect(reply.status).toBe(202)
  expect(JSON.parse(reply.body)).toEqual({ decision_id: body['decision_id'], queued: true })
  expect(reply.headers['ratelimit']).toBe('"organization";r=9;t=60')
  expect(line.log[0]?.headers).toMatchObject({ decision_id: body['decision_id'] })
})

test('the trace of the request travels with the record', async () => {
  const line = scene()
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
  await send(line, aDecisionBody(), { traceparent })
  expect(line.log[0]?.headers).toMatchObject({ traceparent })
})

describe('each refusal ends the line where it arose', () => {
  test.each<[Step, ProblemCode, Step[]]>([
    ['authenticate', 'api_key_invalid', ['authenticate']],
    ['look for spent', 'rate_limited', ['authenticate', 'look for spent']],
    ['read body', 'payload_too_large', [...untilRead, 'limit rate']],
    ['limit rate', 'rate_limited', [...untilRead, 'limit rate']],
    ['limit agent', 'rate_limited', untilAdmitted],
    ['encode', 'schema_unavailable', [...untilAdmitted, 'encode']],
    ['produce', 'log_unavailable', [...untilAdmitted, 'encode', 'produce']]
  ])('%s: %s', async (step, code, steps) => {
    const line = scene({ [step]: new Problem(code, { detail: 'No.' }) })
    const problem = await problemOf(send(line, aDecisionBody()))
    expect(problem.code).toBe(code)
    expect(line.steps).toEqual(steps)
    expect(line.log).toEqual([])
    expect(line.counted()).toEqual([{ outcome: 'rejected', reason: code }])
  })
})

test.each<Step>(['limit rate', 'encode', 'produce'])(
  'a refusal by %s carries the id, so that a retry is safe',
  async (step) => {
    const line = scene({ [step]: new Problem('overloaded', { detail: 'No.' }) })
    const { decision_id, ...body } = aDecisionBody()
    expect((await problemOf(send(line, { ...body, decision_id }))).options.members).toEqual({
      decision_id
    })
    const made = (await problemOf(send(line, body))).options.members
    expect(made?.['decision_id']).toMatch(/^[0-9a-f-]{36}$/)
  }
)

test('of an organization one long body at a time is parsed to encoded', async () => {
  const line = scene()
  const long = aDecisionBody({ input: 'x'.repeat(300_000) })
  const [first, second, short] = [send(line, long), send(line, long), send(line, aDecisionBody())]
  await short
  expect(line.steps.filter((step) => step === 'encode')).toHaveLength(1)
  await Promise.all([first, second])
  const ofLong = line.steps.slice(line.steps.indexOf('produce') + 1)
  const each: Step[] = ['limit rate', 'limit agent', 'encode', 'produce']
  expect(ofLong).toEqual([...each, ...each])
})

describe('bad bodies are refused and never reach the log', () => {
  const valid = JSON.stringify(aDecisionBody())

  test.each<[ProblemCode, string, unknown]>([
    ['malformed_json', 'nothing', ''],
    ['malformed_json', 'text', 'hello'],
    ['malformed_json', 'a body cut off', valid.slice(0, -1)],
    ['malformed_json', 'a body with more behind it', `${valid}{}`],
    ['malformed_encoding', 'Latin-1', Buffer.from('{"input":1,"output":"\xe9"}', 'latin1')],
    ['invalid_decision', 'an empty object', {}],
    ['invalid_decision', 'a list', [aDecisionBody()]],
    ['invalid_decision', 'a number for the output', aDecisionBody({ output: 1 })],
    ['invalid_decision', 'half a character', '{"input":"\\ud800","output":""}'],
    ['invalid_decision', 'a depth bomb', `{"input":${'['.repeat(100_000)}`],
    ['invalid_decision', 'a member twice', '{"input":1,"input":2,"output":""}'],
    ['payload_too_large', 'a decision too large', aDecisionBody({ output: 'x'.repeat(4 << 20) })]
  ])('%s: %s', async (code, _what, body) => {
    const line = scene()
    expect((await problemOf(send(line, body))).code).toBe(code)
    expect(line.log).toEqual([])
    expect(line.counted()).toEqual([{ outcome: 'rejected', reason: code }])
  })

  test('unsupported_media_type: a form', async () => {
    const line = scene()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect((await problemOf(send(line, valid, headers))).code).toBe('unsupported_media_type')
    expect(line.log).toEqual([])
  })
})

test('what nobody expected is passed on as it is, and counted', async () => {
  const bug = new TypeError('a bug')
  const line = scene({ encode: bug })
  await expect(send(line, aDecisionBody())).rejects.toBe(bug)
  expect(line.counted()).toEqual([{ outcome: 'rejected', reason: 'internal_error' }])
})

test('there are as many outcomes as calls, and as many records as were queued', async () => {
  const line = scene()
  const bodies = [aDecisionBody(), '{', {}, aDecisionBody(), '[]', aDecisionBody({ domain: 1 })]
  await Promise.allSettled(bodies.map((body) => send(line, body)))
  const outcomes = line.counted()
  expect(outcomes).toHaveLength(bodies.length)
  expect(outcomes.filter(({ outcome }) => outcome === 'queued')).toHaveLength(line.log.length)
})
