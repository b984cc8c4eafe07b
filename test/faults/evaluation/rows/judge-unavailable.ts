/** Makes the judge reject calls with 429, then respond too slowly, then fail with 500, then refuse
 * connections.
 */
import type { FaultSettings } from '../../settings.ts'
import type { EvaluationFault } from '../fault.ts'

/** Response delay in milliseconds, longer than the judge timeout. */
const slowMs = 7000
const isLong = ({ seconds }: FaultSettings): boolean => seconds > 10
/**
 * Returns the duration of each phase as a multiple of the configured fault duration. The long form
 * refuses connections for a minute.
 */
function sharesOf(settings: FaultSettings) {
  return isLong(settings) ? { part: 1, refusedShare: 3 } : { part: 1 / 2, refusedShare: 1 }
}

export const judgeUnavailable: EvaluationFault = {
  done: (settings) => {
    const { part, refusedShare } = sharesOf(settings)
    const [some, most] = [part * settings.seconds, refusedShare * settings.seconds]
    return (
      `429 with Retry-After for ${some} s, answers after ${slowMs / 1000} s for ${some} s, ` +
      `500 for ${some} s, connections refused for ${most} s`
    )
  },
  inject: async ({ judge, last, settings, recover }) => {
    const { part, refusedShare } = sharesOf(settings)
    await judge.behave(isLong(settings) ? 'rate_limited_seconds' : 'rate_limited_ms')
    await last(part)
    await judge.delay(slowMs)
    await last(part)
    await judge.behave('server_error')
    await last(part)
    await judge.kill()
    await last(refusedShare)
    await judge.start()
    await recover()
    return 4
  }
}
