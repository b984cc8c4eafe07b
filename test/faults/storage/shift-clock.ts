/** Creates environment variables that shift the clock of an application. */
import { resolve } from 'node:path'

/** Returns environment variables that make Node preload the shifted clock. */
export function shiftClock(offsetMs: number): NodeJS.ProcessEnv {
  return {
    NODE_OPTIONS: `--import=${resolve('test/support/shifted-clock.mjs')}`,
    SLUICE_TEST_CLOCK_OFFSET_MS: String(offsetMs)
  }
}
