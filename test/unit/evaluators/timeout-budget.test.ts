/** Tests the limit on the time that slow evaluators take from other organizations. */
import { expect, test } from '@jest/globals'
import { verdict } from '../../../evaluators/evaluator.ts'
import type { CompiledEvaluator } from '../../../evaluators/evaluator.ts'
import { createTimeoutBudget } from '../../../evaluators/timeout-budget.ts'
import { runEvaluators } from '../../../evaluators/run-evaluators.ts'
import { CpuLimitError } from '../../../platform/validation/cpu-limit.ts'
import { aSubject } from './a-subject.ts'
import { aVersion } from './a-version.ts'

const timeout_ms = 1000
const subject = aSubject({ organization_id: 'ours' })

function evaluator(): CompiledEvaluator {
  const version = aVersion('regex', { pattern: 'a' }, { timeout_ms })
  return { version, isBounded: false, evaluate: () => verdict(true, 'Fine.') }
}

test("stops slow evaluators, then all of the organization's, but no other organization's", () => {
  let now = 0
  const timeoutBudget = createTimeoutBudget(() => now)
  const [late, punctual] = [evaluator(), evaluator()]
  const isSpent = (organizationId: string): boolean[] =>
    [late, punctual].map((each) => timeoutBudget.isSpent(organizationId, each))
  timeoutBudget.charge('ours', late, 2999)
  expect(isSpent('ours')).toEqual([false, false])
  timeoutBudget.charge('ours', late, 1)
  expect(isSpent('ours')).toEqual([true, false])
  timeoutBudget.charge('ours', late, 3000)
  expect(isSpent('ours')).toEqual([true, true])
  expect(isSpent('theirs')).toEqual([false, false])
  now = 59_999
  expect(isSpent('ours')).toEqual([true, true])
  now = 60_000
  expect(isSpent('ours')).toEqual([false, false])
})

test('does not wait for hundreds of slow evaluators one by one', () => {
  let waits = 0
  const hanging = <T>(_work: () => T, limitMs: number): T => {
    if (limitMs === timeout_ms) waits += 1
    throw new CpuLimitError('over', { computedMs: limitMs })
  }
  let now = 0
  const lost = createTimeoutBudget(() => now)
  const timeoutBudget = {
    isSpent: lost.isSpent,
    charge: (organizationId: string, which: CompiledEvaluator) =>
      lost.charge(organizationId, which, timeout_ms)
  }
  const batch = Array.from({ length: 300 }, () => ({ evaluator: evaluator(), subject }))
  for (let turn = 0; turn < 3; turn++) {
    const outcomes = runEvaluators(batch, hanging, timeoutBudget)
    expect(outcomes.every(({ status }) => status === 'failed')).toBe(true)
  }
  expect(waits).toBe(6)
  now = 60_000
  runEvaluators(batch, hanging, timeoutBudget)
  expect(waits).toBe(12)
})
