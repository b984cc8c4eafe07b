/** What evaluators that hang may cost everybody else, in a minute. */
import { expect, test } from '@jest/globals'
import { verdict } from '../../../evaluators/evaluator.ts'
import type { CompiledEvaluator } from '../../../evaluators/evaluator.ts'
import { createPatience } from '../../../evaluators/patience.ts'
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

test('those that hung rest first, then all of the organization, and nobody of another', () => {
  let now = 0
  const patience = createPatience(() => now)
  const [late, punctual] = [evaluator(), evaluator()]
  const isOver = (whose: string): boolean[] =>
    [late, punctual].map((each) => patience.isOver(whose, each))
  patience.lose('ours', late, 2999)
  expect(isOver('ours')).toEqual([false, false])
  patience.lose('ours', late, 1)
  expect(isOver('ours')).toEqual([true, false])
  patience.lose('ours', late, 3000)
  expect(isOver('ours')).toEqual([true, true])
  expect(isOver('theirs')).toEqual([false, false])
  now = 59_999
  expect(isOver('ours')).toEqual([true, true])
  now = 60_000
  expect(isOver('ours')).toEqual([false, false])
})

test('hundreds that hang are not waited for one after the other, batch after batch', () => {
  let waits = 0
  const hanging = <T>(_work: () => T, limitMs: number): T => {
    if (limitMs === timeout_ms) waits += 1
    throw new CpuLimitError('over', { computedMs: limitMs })
  }
  let now = 0
  const lost = createPatience(() => now)
  const patience = {
    isOver: lost.isOver,
    lose: (whose: string, which: CompiledEvaluator) => lost.lose(whose, which, timeout_ms)
  }
  const batch = Array.from({ length: 300 }, () => ({ evaluator: evaluator(), subject }))
  for (let turn = 0; turn < 3; turn++) {
    const outcomes = runEvaluators(batch, hanging, patience)
    expect(outcomes.every(({ status }) => status === 'failed')).toBe(true)
  }
  expect(waits).toBe(6)
  now = 60_000
  runEvaluators(batch, hanging, patience)
  expect(waits).toBe(12)
})
