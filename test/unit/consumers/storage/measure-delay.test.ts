/** Tests for which decisions the storage delay is observed, and that it is never negative. */
import { expect, test } from '@jest/globals'
import { createMeasureDelay } from '../../../../consumers/storage/measure-delay.ts'
import {
  deadLetter,
  done,
  duplicate,
  erased,
  TransientError
} from '../../../../core/message-outcome.ts'
import { aDecision, noon } from '../../../support/builders.ts'
import { FakeBatch } from '../fakes.ts'
import { RecordingMetrics } from '../recording-metrics.ts'

const clock = { now: () => noon }

test('observes each decision except dead-lettered ones, never negative', async () => {
  const metrics = new RecordingMetrics()
  const outcomes = [done, deadLetter('store', 'id_conflict', 'taken'), duplicate, erased]
  const decisions = [1500, 700, -200, 60_000].map((age) => aDecision({ received_at: noon - age }))
  const store = createMeasureDelay({ metrics, clock })(async () => outcomes)
  expect(await store(decisions, new FakeBatch([]))).toBe(outcomes)
  expect(metrics.observations).toEqual(
    [1.5, 0, 60].map((value) => ({ name: 'sluice_storage_delay_seconds', labels: {}, value }))
  )
})

test('observes nothing while a batch cannot be stored', async () => {
  const metrics = new RecordingMetrics()
  const store = createMeasureDelay({ metrics, clock })(async () => {
    throw new TransientError('away')
  })
  await expect(store([aDecision()], new FakeBatch([]))).rejects.toThrow('away')
  expect(metrics.observations).toEqual([])
})
