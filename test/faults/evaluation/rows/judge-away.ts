/** The judge is busy, then slow, then fails, and then nobody is there at all. */
import type { FaultSettings } from '../../settings.ts'
import type { EvaluationFault } from '../fault.ts'

/** Longer than the judge of the run may take. */
const slowMs = 7000
const isLong = ({ seconds }: FaultSettings): boolean => seconds > 10
/** As shares of the time of a fault; in the long form nobody is there for a minute. */
function sharesOf(settings: FaultSettings) {
  return isLong(settings) ? { part: 1, away: 3 } : { part: 1 / 2, away: 1 }
}

export const judgeAway: EvaluationFault = {
  done: (settings) => {
    const { part, away } = sharesOf(settings)
    const [some, most] = [part * settings.seconds, away * settings.seconds]
    return (
      `429 with Retry-After for ${some} s, answers after ${slowMs / 1000} s for ${some} s, ` +
      `500 for ${some} s, connections refused for ${most} s`
    )
  },
  inject: async ({ judge, last, settings, recover }) => {
    const { part, away } = sharesOf(settings)
    await judge.behave(isLong(settings) ? 'rate_limited_seconds' : 'rate_limited_ms')
    await last(part)
    await judge.delay(slowMs)
    await last(part)
    await judge.behave('server_error')
    await last(part)
    await judge.kill()
    await last(away)
    await judge.start()
    await recover()
    return 4
  }
}
