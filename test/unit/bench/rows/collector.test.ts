/** Tests that the Collector is configured to respond only after all replicas have acknowledged. */
import { expect, test } from '@jest/globals'
import { configurationOf } from '../../../../bench/rows/collector.ts'

test.each(['logs', 'traces'] as const)('%s are only acknowledged by all replicas', (signal) => {
  const { exporters, service } = configurationOf(4318, ['a:9092'], signal)
  expect(exporters.kafka).toMatchObject({
    brokers: ['a:9092'],
    sending_queue: { enabled: false },
    producer: { required_acks: 'all' }
  })
  // With a batch processor, the Collector would respond before writing to Kafka.
  expect(service.pipelines).toEqual({ [signal]: { receivers: ['otlp'], exporters: ['kafka'] } })
})
