/** Tests the decisions of a request: which are admitted, and what is known about each of them. */
import { describe, expect, test } from '@jest/globals'
import { Problem } from '../../../../core/problem.ts'
import { DecisionBatch } from '../../../../gateway/ingest/decision-batch.ts'
import { createEncoder } from '../../../../gateway/ingest/encode.ts'
import { aDecision } from '../../../support/builders.ts'
import { problemOf } from '../../api/fakes.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'
import { RecordingPool } from '../../platform/kafka/producer/records.ts'
import { batchOf, quota, rowOf, submissionOf } from './fakes.ts'

const invalid = new Problem('invalid_decision', { detail: 'No.' })
const limited = new Problem('rate_limited', { detail: 'No.' })
const encoder = createEncoder({ schemaId: () => 7, metrics: new RecordingMetrics() })

test('admits the first granted decisions, counts invalid ones, and rejects the rest', () => {
  const granted = { ...quota, granted: 2, problem: limited }
  const batch = batchOf([{}, { problem: invalid }, {}, { problem: invalid }])
  batch.admit(granted)
  expect(batch.problems).toEqual([null, invalid, limited, invalid])
  expect(batch.count).toBe(4)
})

test('admits all decisions under a quota without a problem, and none if nothing is granted', () => {
  const batch = batchOf([{}, {}])
  batch.admit(quota)
  expect(batch.problems).toEqual([null, null])
  batch.admit({ ...quota, granted: 0, problem: limited })
  expect(batch.problems).toEqual([limited, limited])
})

test('throws the problem of the first decision, if it was rejected', async () => {
  const batch = batchOf([{ problem: invalid }])
  expect(await problemOf(() => batch.throwRejected())).toBe(invalid)
  expect(() => batchOf([{}, { problem: invalid }]).throwRejected()).not.toThrow()
  expect(() => new DecisionBatch({ count: 0 }).throwRejected()).not.toThrow()
})

describe('the decision_id', () => {
  test.each([
    ['a short key', { agent_id: 'a' }],
    ['a key of 255 characters with four bytes each', { agent_id: '\u{1f600}'.repeat(255) }],
    ['the id as its key', { agent_id: null, session_id: null }],
    ['a value of a megabyte', { output: 'x'.repeat(1024 * 1024) }],
    ['an empty output', { output: '', input: '' }]
  ])('is read from a record with %s', (_what, members) => {
    const decision = aDecision(members)
    expect(batchOf([{ record: decision }]).idAt(0)).toBe(decision.decision_id)
  })

  test('is read from a record at any start', () => {
    const decision = aDecision()
    const record = encoder.encode(decision)
    const slab = Buffer.concat([Buffer.alloc(99, 0xff), record, Buffer.alloc(9, 0xff)])
    const batch = new DecisionBatch({ count: 1, slab })
    batch.noteRead(0, rowOf(slab, { recordStart: 99, recordEnd: 99 + record.length }))
    expect(batch.idAt(0)).toBe(decision.decision_id)
  })

  test('of a decision that was rejected later is still known', () => {
    const decision = aDecision()
    const batch = batchOf([{ record: decision }])
    batch.admit({ ...quota, granted: 0, problem: limited })
    expect(batch.idAt(0)).toBe(decision.decision_id)
  })

  test('of a decision that was rejected before encoding is the given one, or null', () => {
    const { decision_id: id } = aDecision()
    const batch = batchOf([{ problem: invalid, id }, { problem: invalid }])
    expect([batch.idAt(0), batch.idAt(1)]).toEqual([id, null])
  })
})

describe('the agent and the SDK', () => {
  test('of a parsed decision are read from its text, even if it is invalid', () => {
    const batch = batchOf([
      { submission: submissionOf({ agent_id: 'a', sdk_version: 'py/1' }), problem: invalid },
      { submission: submissionOf({ agent_id: 7, sdk_version: 7 }), problem: invalid },
      { submission: submissionOf({ input: 1, output: '' }) },
      { problem: invalid }
    ])
    const all = [0, 1, 2, 3]
    expect(all.map((index) => batch.agentAt(index))).toEqual(['a', null, '', null])
    expect(all.map((index) => batch.sdkVersionAt(index))).toEqual(['py/1', null, null, null])
  })

  test('of a decision that the kernel read are read from its record', () => {
    const record = encoder.encode(aDecision({ agent_id: 'агент', sdk_version: 'ts/2' }))
    const sdkStart = record.indexOf('ts/2')
    const batch = new DecisionBatch({ count: 1, slab: record })
    batch.noteRead(0, rowOf(record, { hasAgent: 1, sdkStart, sdkEnd: sdkStart + 4 }))
    expect([batch.agentAt(0), batch.sdkVersionAt(0)]).toEqual(['агент', 'ts/2'])
  })

  test('are not the key and the version of a record without them', () => {
    const record = encoder.encode(aDecision({ agent_id: null, session_id: 's' }))
    const batch = new DecisionBatch({ count: 1, slab: record })
    batch.noteRead(0, rowOf(record))
    expect([batch.agentAt(0), batch.sdkVersionAt(0)]).toEqual(['', null])
  })
})

describe('the slab', () => {
  function scene() {
    const pool = new RecordingPool()
    const slab = pool.take(100)
    const batch = new DecisionBatch({ count: 2, pool, slab })
    batch.noteRead(0, rowOf(slab))
    batch.noteRead(1, rowOf(slab))
    return { pool, batch, slab }
  }

  test('is returned to the pool once', () => {
    const { pool, batch, slab } = scene()
    batch.release()
    batch.release()
    expect(pool.given).toEqual([slab])
    expect(batch.buffers).toEqual([null, null])
  })

  test('is returned if no decision has a record in it', () => {
    const pool = new RecordingPool()
    const slab = pool.take(100)
    const batch = new DecisionBatch({ count: 1, pool, slab })
    batch.release()
    expect(pool.given).toEqual([slab])
  })

  test('is not returned while a record may still be sent', () => {
    const { pool, batch } = scene()
    batch.isBeingSent = true
    batch.release()
    expect(pool.given).toEqual([])
  })

  test('is not expected of a batch that the parser read', () => {
    const batch = batchOf([{}, { problem: invalid }])
    expect(() => batch.release()).not.toThrow()
  })
})
