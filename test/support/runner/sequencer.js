/** The order of test files: those that mostly wait first, so that others compute beside them. */
import TestSequencer from '@jest/test-sequencer'

const order = ['pages', 'e2e', 'sdk', 'contract', 'integration', 'deploy', 'unit']

function rankOf({ context }) {
  return order.indexOf(context.config.displayName.name)
}

export default class Sequencer extends TestSequencer {
  /** Within a project the longest first, as far as jest knows. */
  sort(tests) {
    return super.sort(tests).toSorted((a, b) => rankOf(a) - rankOf(b))
  }
}
