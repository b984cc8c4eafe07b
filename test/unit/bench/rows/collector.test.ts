/** Tests that the Collector is configured to respond only after all replicas have acknowledged. */
import { expect, test } from '@jest/globals'
import { configurationOf } from '../../../../bench/rows/collector.ts'

test('responds only after all replicas have acknowledged', () => {
  const { exporters, service } = configurationOf(4318, ['a:9092'])
  expect(exporters.kafka).toMatchObject({
    brokers: ['a:9092'],
    sending_queue: { enabled: false },
    producer: { required_acks: 'all' }
  })
  // With a batch processor, the Collector would respond before writing to Kafka.
  expect(service.pipelines.logs).toEqual({ receivers: ['otlp'], exporters: ['kafka'] })
})
