/** The machine's clock; the one place that reads it. */
import type { Clock } from '../../core/clock.ts'

export const systemClock: Clock = Object.freeze({ now: () => Date.now() })
