/** The configuration of the Collector. */
import { expect, test } from '@jest/globals'
import { configurationOf } from '../../../../bench/rows/collector.ts'

test('answers only after all replicas have acknowledged', () => {
  const { exporters, service } = configurationOf(4318, ['a:9092'])
  expect(exporters.kafka).toMatchObject({
    brokers: ['a:9092'],
    sending_queue: { enabled: false },
    producer: { required_acks: 'all' }
  })
  // A processor that batches would answer before anything is written.
  expect(service.pipelines.logs).toEqual({ receivers: ['otlp'], exporters: ['kafka'] })
})
