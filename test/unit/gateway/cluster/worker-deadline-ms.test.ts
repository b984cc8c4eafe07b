/** Tests the deadline of a worker, which must finish before its primary. */
import { expect, test } from '@jest/globals'
import { workerDeadlineMs } from '../../../../gateway/cluster/worker-deadline-ms.ts'

test.each([
  [25_000, 1000, 22_500],
  [25_000, 20_000, 3500],
  [5000, 1000, 2500],
  [1000, 500, 250]
])(
  'with a deadline of %d ms, %d of them unready, a worker gets %d',
  (deadlineMs, unreadyMs, expected) => {
    const config = { SHUTDOWN_DEADLINE_MS: deadlineMs, SHUTDOWN_UNREADY_MS: unreadyMs }
    expect(workerDeadlineMs(config)).toBe(expected)
    expect(expected + unreadyMs).toBeLessThan(deadlineMs)
  }
)
