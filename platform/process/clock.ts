/** System clock: the only code that reads the machine's time. */
import type { Clock } from '../../core/clock.ts'

export const systemClock: Clock = Object.freeze({ now: () => Date.now() })
