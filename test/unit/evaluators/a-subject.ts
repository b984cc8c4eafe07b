/** Builds a subject for evaluator tests. Each test sets only what it needs. */
import type { Decision } from '../../../core/decision/decision.ts'
import { subjectOf } from '../../../evaluators/subject.ts'
import type { Subject } from '../../../evaluators/subject.ts'
import { aDecision } from '../../support/builders.ts'

export function aSubject(overrides: Partial<Decision> = {}): Subject {
  return subjectOf(aDecision(overrides))
}

/** Returns a text with almost no repetition. */
export function prose(words: number, seed = 1): string {
  let state = seed
  const next = () => (state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 1)
  return Array.from({ length: words }, () => next().toString(36)).join(' ')
}
