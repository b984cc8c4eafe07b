/** Tests the limits on open streams, in total and per organization. */
import { expect, test } from '@jest/globals'
import { createOpenStreams, streamsPerOrganizationMax } from '../../../../api/streams/streams.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'

test('refuses streams beyond the total limit until one is closed', () => {
  const metrics = new RecordingMetrics()
  const streams = createOpenStreams({ streamsMax: 2, metrics })
  const release = streams.open('tail', 'a')
  streams.open('export', 'b')
  expect(() => streams.open('tail', 'c')).toThrow(expect.objectContaining({ code: 'overloaded' }))
  expect(metrics.labelsOf('sluice_shed_total')).toEqual([{ reason: 'streams' }])
  release()
  release()
  streams.open('tail', 'c')
  expect(() => streams.open('tail', 'c')).toThrow()
})

test.each(['tail', 'export'] as const)('limits the %ss of one organization', (kind) => {
  const streams = createOpenStreams({ streamsMax: 100_000, metrics: new RecordingMetrics() })
  const most = streamsPerOrganizationMax[kind]
  const releases = Array.from({ length: most }, () => streams.open(kind, 'a'))
  expect(() => streams.open(kind, 'a')).toThrow(expect.objectContaining({ status: 503 }))
  streams.open(kind, 'b')
  releases[0]?.()
  streams.open(kind, 'a')
})

test('limits the share of one organization if the total is small', () => {
  const streams = createOpenStreams({ streamsMax: 8, metrics: new RecordingMetrics() })
  streams.open('tail', 'a')
  streams.open('tail', 'a')
  expect(() => streams.open('tail', 'a')).toThrow(expect.objectContaining({ code: 'overloaded' }))
  streams.open('tail', 'b')
})

test('reports open streams by kind', () => {
  const metrics = new RecordingMetrics()
  const streams = createOpenStreams({ streamsMax: 10, metrics })
  const release = streams.open('tail', 'a')
  streams.open('tail', 'a')
  release()
  metrics.levelOf('sluice_streams_open')
  expect(metrics.levels.map(({ labels, value }) => [labels['kind'], value])).toEqual([
    ...[
      ['tail', 1],
      ['export', 0]
    ]
  ])
})
