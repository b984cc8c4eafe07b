/** Samples decisions: determines whether a rule evaluates a decision. The result depends only on
 * the decision and the sampling settings of the rule.
 */
import { hash } from 'node:crypto'
import type { Decision } from '../../core/decision/decision.ts'
import type { RuleSampling } from '../../core/evaluation/rule.ts'

/**
 * Compares the rate with a number from 0 to 1 that is computed from the first 53 bits of a hash of
 * cohort and key. Within a cohort, a higher rate includes every decision that a lower rate
 * includes.
 */
export function isSampled(
  { rate, key, cohort }: RuleSampling,
  { decision_id, session_id }: Pick<Decision, 'decision_id' | 'session_id'>
): boolean {
  if (rate >= 1) return true
  if (rate <= 0) return false
  const sampled = key === 'session' ? (session_id ?? decision_id) : decision_id
  return shareOf(`${cohort}\0${sampled}`) < rate
}

const highBits = 2 ** 21
const shareMax = 2 ** 53

function shareOf(text: string): number {
  const digits = hash('sha256', text, 'hex')
  const high = Number.parseInt(digits.slice(0, 8), 16)
  const low = Number.parseInt(digits.slice(8, 14), 16) >>> 3
  return (high * highBits + low) / shareMax
}
