/** Orders test files for jest: phases that mostly wait start first, to overlap with phases that
 * compute.
 */
import TestSequencer from '@jest/test-sequencer'

const order = ['pages', 'e2e', 'sdk', 'contract', 'integration', 'unit']

function rankOf({ context }) {
  return order.indexOf(context.config.displayName.name)
}

export default class Sequencer extends TestSequencer {
  /** Keeps jest's order within a phase: the files that took longest in the last run start first. */
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}
