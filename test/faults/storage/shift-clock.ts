/** What makes the clock of a process of ours go wrong by so much. */
import { resolve } from 'node:path'

/** Part of an environment: Node then loads the clock before the program. */
export function shiftClock(offsetMs: number): NodeJS.ProcessEnv {
  return {
    NODE_OPTIONS: `--import=${resolve('test/support/shifted-clock.mjs')}`,
    SLUICE_TEST_CLOCK_OFFSET_MS: String(offsetMs)
  }
}
