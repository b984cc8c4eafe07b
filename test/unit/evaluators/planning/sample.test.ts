/** Tests that sampling is deterministic and matches the rate, and that within a cohort a lower rate
 * selects a part of what a higher rate selects.
 */
import { expect, test } from '@jest/globals'
import { uuidv5 } from '../../../../core/ids/ids.ts'
import type { RuleSampling } from '../../../../core/evaluation/rule.ts'
import { isSampled } from '../../../../evaluators/planning/sample.ts'

const namespace = '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55'
const decisions = Array.from({ length: 20_000 }, (_, index) => ({
  decision_id: uuidv5(namespace, String(index)),
  session_id: `session-${index % 100}`
}))

function takenBy(sampling: Partial<RuleSampling>): Set<string> {
  const whole: RuleSampling = { rate: 0.1, key: 'decision', cohort: 'default', ...sampling }
  return new Set(
    decisions.filter((each) => isSampled(whole, each)).map(({ decision_id }) => decision_id)
  )
}

test('selects decisions by a formula that must never change', () => {
  const first = decisions[0] ?? { decision_id: '', session_id: null }
  expect(first.decision_id).toBe('8de56be1-2259-5f85-922d-a0746342b173')
  // The first 53 bits of the SHA-256 of "default", U+0000 and the id, divided by 2^53.
  const share = 0.9271254028407311
  const sampling = { key: 'decision', cohort: 'default' } as const
  expect(isSampled({ ...sampling, rate: share }, first)).toBe(false)
  expect(isSampled({ ...sampling, rate: share + Number.EPSILON }, first)).toBe(true)
})

test('selects about the configured share of decisions, even at very low rates', () => {
  for (const rate of [0.5, 0.1, 0.01, 0.001]) {
    const expected = decisions.length * rate
    const fourSigma = 4 * Math.sqrt(expected * (1 - rate))
    expect(Math.abs(takenBy({ rate }).size - expected)).toBeLessThan(fourSigma)
  }
  expect(takenBy({ rate: 0 }).size).toBe(0)
  expect(takenBy({ rate: 1 }).size).toBe(decisions.length)
})

test('includes the decisions of a lower rate at a higher rate of the same cohort', () => {
  const lax = takenBy({ rate: 0.3 })
  expect([...takenBy({ rate: 0.1 })].filter((id) => !lax.has(id))).toEqual([])
})

test('selects independently in different cohorts', () => {
  const others = takenBy({ cohort: 'other' })
  const both = [...takenBy({})].filter((id) => others.has(id)).length
  expect(both).toBeGreaterThan(100)
  expect(both).toBeLessThan(300)
})

test('samples a session as a whole', () => {
  const taken = takenBy({ key: 'session', rate: 0.5 })
  for (const session of new Set(decisions.map(({ session_id }) => session_id))) {
    const own = decisions.filter(({ session_id }) => session_id === session)
    const count = own.filter(({ decision_id }) => taken.has(decision_id)).length
    expect([0, own.length]).toContain(count)
  }
})

test('samples a decision without a session by its id', () => {
  const alone = { decision_id: namespace, session_id: null }
  const bySession = isSampled({ rate: 0.5, key: 'session', cohort: 'default' }, alone)
  expect(bySession).toBe(isSampled({ rate: 0.5, key: 'decision', cohort: 'default' }, alone))
})
