/** Places of streams: of all, of an organization, and who gives his back. */
import { expect, test } from '@jest/globals'
import {
  createOpenStreams,
  streamsPerOrganizationMax
} from '../../../../api/streams/open-streams.ts'
import { RecordingMetrics } from '../../consumers/recording-metrics.ts'

test('refuses beyond the limit of all, and takes the next once a place is given back', () => {
  const metrics = new RecordingMetrics()
  const streams = createOpenStreams({ streamsMax: 2, metrics })
  const giveBack = streams.open('tail', 'a')
  streams.open('export', 'b')
  expect(() => streams.open('tail', 'c')).toThrow(expect.objectContaining({ code: 'overloaded' }))
  expect(metrics.labelsOf('sluice_shed_total')).toEqual([{ reason: 'streams' }])
  giveBack()
  giveBack()
  streams.open('tail', 'c')
  expect(() => streams.open('tail', 'c')).toThrow()
})

test.each(['tail', 'export'] as const)('no organization takes every place of a %s', (kind) => {
  const streams = createOpenStreams({ streamsMax: 100_000, metrics: new RecordingMetrics() })
  const most = streamsPerOrganizationMax[kind]
  const places = Array.from({ length: most }, () => streams.open(kind, 'a'))
  expect(() => streams.open(kind, 'a')).toThrow(expect.objectContaining({ status: 503 }))
  streams.open(kind, 'b')
  places[0]?.()
  streams.open(kind, 'a')
})

test('no organization takes every place where there are few', () => {
  const streams = createOpenStreams({ streamsMax: 8, metrics: new RecordingMetrics() })
  streams.open('tail', 'a')
  streams.open('tail', 'a')
  expect(() => streams.open('tail', 'a')).toThrow(expect.objectContaining({ code: 'overloaded' }))
  streams.open('tail', 'b')
})

test('tells how many are open, by kind', () => {
  const metrics = new RecordingMetrics()
  const streams = createOpenStreams({ streamsMax: 10, metrics })
  const giveBack = streams.open('tail', 'a')
  streams.open('tail', 'a')
  giveBack()
  metrics.levelOf('sluice_streams_open')
  expect(metrics.levels.map(({ labels, value }) => [labels['kind'], value])).toEqual([
    ...[
      ['tail', 1],
      ['export', 0]
    ]
  ])
})
