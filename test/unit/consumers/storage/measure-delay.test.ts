/** The delay of storage: of everything that was stored, and of nothing that was not. */
import { expect, test } from '@jest/globals'
import { createMeasureDelay } from '../../../../consumers/storage/measure-delay.ts'
import { deadLetter, done, duplicate, erased, TransientError } from '../../../../core/consumed.ts'
import { aDecision, noon } from '../../../support/builders.ts'
import { FakeBatch } from '../fakes.ts'
import { RecordingMetrics } from '../recording-metrics.ts'

const clock = { now: () => noon }

test('is observed of each decision but dead letters, and is never negative', async () => {
  const metrics = new RecordingMetrics()
  const outcomes = [done, deadLetter('store', 'id_conflict', 'taken'), duplicate, erased]
  const decisions = [1500, 700, -200, 60_000].map((age) => aDecision({ received_at: noon - age }))
  const store = createMeasureDelay({ metrics, clock })(async () => outcomes)
  expect(await store(decisions, new FakeBatch([]))).toBe(outcomes)
  expect(metrics.observations).toEqual(
    [1.5, 0, 60].map((value) => ({ name: 'sluice_storage_delay_seconds', labels: {}, value }))
  )
})

test('is not observed of what could not be stored yet', async () => {
  const metrics = new RecordingMetrics()
  const store = createMeasureDelay({ metrics, clock })(async () => {
    throw new TransientError('away')
  })
  await expect(store([aDecision()], new FakeBatch([]))).rejects.toThrow('away')
  expect(metrics.observations).toEqual([])
})
