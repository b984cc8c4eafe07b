/** Tests dropped webhook deliveries: all are counted, and logged once a minute per organization. */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { createReportDropped } from '../../../../consumers/storage/report-dropped.ts'
import type { Logger } from '../../../../platform/telemetry/logger.ts'
import { RecordingMetrics } from '../recording-metrics.ts'

test('counts each delivery, and logs an organization once a minute', () => {
  const metrics = new RecordingMetrics()
  const warned: unknown[] = []
  const logger = { warn: (fields: unknown) => void warned.push(fields) } as unknown as Logger
  const time = { now: 0 }
  const reportDropped = createReportDropped({ metrics, logger, clock: { now: () => time.now } })
  const [one, other] = [randomUUID(), randomUUID()]
  reportDropped(one, 3)
  time.now = 59_999
  reportDropped(one, 4)
  reportDropped(other, 5)
  time.now = 60_000
  reportDropped(one, 6)
  expect(metrics.counts.map(({ value }) => value)).toEqual([3, 4, 5, 6])
  expect(metrics.counts[0]).toMatchObject({
    name: 'sluice_webhook_deliveries_total',
    labels: { event: 'evaluation.completed', outcome: 'dropped' }
  })
  expect(warned).toEqual([
    { organization_id: one, deliveries: 3 },
    { organization_id: other, deliveries: 5 },
    { organization_id: one, deliveries: 6 }
  ])
})
