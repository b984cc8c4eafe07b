/** Orders test files: those that mostly wait run first, in parallel with those that compute. */
import TestSequencer from '@jest/test-sequencer'

const order = ['pages', 'e2e', 'sdk', 'contract', 'integration', 'unit']

function rankOf({ context }) {
  return order.indexOf(context.config.displayName.name)
}

export default class Sequencer extends TestSequencer {
  /** Within a project, Jest runs the files that took longest last time first. */
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}
