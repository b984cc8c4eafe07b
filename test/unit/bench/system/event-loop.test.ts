/** The lag of an event loop. */
import { expect, test } from '@jest/globals'
import { eventLoopP99In } from '../../../../bench/system/event-loop.ts'
import { createMetrics } from '../../../../platform/telemetry/metrics.ts'

test('takes the latest of several processes', () => {
  const lines = [
    'sluice_event_loop_lag_seconds{quantile="0.5",worker="1"} 0.5',
    'sluice_event_loop_lag_seconds{quantile="0.99",worker="1"} 0.01',
    'sluice_event_loop_lag_seconds{worker="2",quantile="0.99"} 2e-2'
  ]
  expect(eventLoopP99In(lines.join('\n'))).toBe(20)
})

test('is not a number where nothing is said', () => {
  expect(eventLoopP99In('other 1')).toBeNaN()
})

test('our own programs say it', async () => {
  const metrics = createMetrics()
  metrics.set('sluice_event_loop_lag_seconds', { quantile: '0.99' }, 0.03)
  const { text } = await metrics.expose()
  expect(eventLoopP99In(text)).toBe(30)
})
