/** What an evaluator is: a name, a version, and a pure function from a subject to a finding. */
import type { ScoreDataType } from '../core/evaluation.ts'
import type { Subject } from './subject.ts'

/** The score an evaluator gives; its name is the evaluator's. */
export interface Finding {
  readonly kind: 'finding'
  readonly data_type: ScoreDataType
  readonly value: number | null
  readonly label: string | null
  readonly passed: boolean | null
  /** A sentence that explains the score and never quotes what was found. */
  readonly reason: string
}

/** No score, and why: the question does not arise, or the text is too long to tell. */
export interface Skipped {
  readonly kind: 'skipped'
  readonly status_reason: 'not_applicable' | 'content_too_large'
}

export interface Evaluator {
  readonly name: string
  readonly kind: 'heuristic'
  /** Grows whenever the same decision may get another score. */
  readonly version: number
  /** Must be linear in the text it looks at, which a named limit bounds. */
  readonly evaluate: (subject: Subject) => Finding | Skipped
}

export const notApplicable: Skipped = Object.freeze({
  kind: 'skipped',
  status_reason: 'not_applicable'
})

export const contentTooLarge: Skipped = Object.freeze({
  kind: 'skipped',
  status_reason: 'content_too_large'
})

/** A boolean score. */
export function verdict(passed: boolean, reason: string): Finding {
  const value = passed ? 1 : 0
  return { kind: 'finding', data_type: 'boolean', value, label: null, passed, reason }
}

/** A numeric score from 0 to 1, to three digits. */
export function share(part: number, passed: boolean, reason: string): Finding {
  const value = Math.round(part * 1000) / 1000
  return { kind: 'finding', data_type: 'numeric', value, label: null, passed, reason }
}
