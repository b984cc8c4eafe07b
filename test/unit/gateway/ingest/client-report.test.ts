/** What SDKs dropped: known reasons by name, all others together, nonsense harmless. */
import { expect, test } from '@jest/globals'
import { createTakeClientReport } from '../../../../gateway/ingest/client-report.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'

function countsOf(report: unknown) {
  const metrics = new RecordingMetrics()
  createTakeClientReport({ metrics })(report)
  return metrics.counts.map(({ labels, value }) => [(labels as { reason: string }).reason, value])
}

test('reasons of the contract are counted by name, others as other', () => {
  const dropped = { queue_full: 3, shutdown: 0, cosmic_rays: 2 }
  expect(countsOf({ dropped })).toEqual([
    ['queue_full', 3],
    ['other', 2]
  ])
})

test('no report counts nothing', () => {
  expect(countsOf(undefined)).toEqual([])
})

test.each([[null], [5], [{}], [{ dropped: { queue_full: -1 } }], [{ dropped: [1] }]])(
  '%j counts as unreadable',
  (report) => {
    expect(countsOf(report)).toEqual([['unreadable', 1]])
  }
)
