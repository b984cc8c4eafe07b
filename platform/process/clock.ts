/** System clock: the only server code that reads the wall-clock time. */
import type { Clock } from '../../core/clock.ts'

export const systemClock: Clock = Object.freeze({ now: () => Date.now() })
