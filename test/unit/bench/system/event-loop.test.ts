/** Tests that the event loop lag is read from metrics. */
import { expect, test } from '@jest/globals'
import { eventLoopLagIn } from '../../../../bench/system/event-loop.ts'
import { createMetrics } from '../../../../platform/telemetry/metrics.ts'

test('returns the maximum of several processes', () => {
  const lines = [
    'sluice_event_loop_lag_seconds{quantile="0.5",worker="1"} 0.5',
    'sluice_event_loop_lag_seconds{quantile="0.99",worker="1"} 0.01',
    'sluice_event_loop_lag_seconds{worker="2",quantile="0.99"} 2e-2'
  ]
  expect(eventLoopLagIn(lines.join('\n'), '0.99')).toBe(20)
})

test('returns NaN without the metric', () => {
  expect(eventLoopLagIn('other 1', '1')).toBeNaN()
})

test('reads a metric that Sluice processes publish', async () => {
  const metrics = createMetrics()
  metrics.set('sluice_event_loop_lag_seconds', { quantile: '0.99' }, 0.03)
  metrics.set('sluice_event_loop_lag_seconds', { quantile: '1' }, 2)
  const { text } = await metrics.expose()
  expect(eventLoopLagIn(text, '0.99')).toBe(30)
  expect(eventLoopLagIn(text, '1')).toBe(2000)
})
