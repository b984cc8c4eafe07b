/** What an evaluator is: a name, a version, and a pure function from a decision to a finding. */
import type { ScoreDataType } from '../../core/evaluation.ts'
import type { Subject } from './subject.ts'

/** The score an evaluator gives; its name is the evaluator's. */
export interface Finding {
  readonly kind: 'finding'
  readonly data_type: ScoreDataType
  readonly value: number | null
  readonly label: string | null
  readonly passed: boolean | null
  /** One sentence that explains the score and never quotes what was found. */
  readonly reason: string
}

/** The question does not arise for this decision. */
export interface NotApplicable {
  readonly kind: 'not_applicable'
}

export interface Evaluator {
  readonly name: string
  readonly kind: 'heuristic'
  /** Grows whenever the same decision may get another score. */
  readonly version: number
  /** Must be linear in the text it looks at, which a named limit bounds. */
  readonly evaluate: (subject: Subject) => Finding | NotApplicable
}

export const notApplicable: NotApplicable = Object.freeze({ kind: 'not_applicable' })

/** A boolean score. */
export function verdict(passed: boolean, reason: string): Finding {
  return {
    kind: 'finding',
    data_type: 'boolean',
    value: passed ? 1 : 0,
    label: null,
    passed,
    reason
  }
}

/** A numeric score from 0 to 1 that passes or not. */
export function measure(value: number, passed: boolean, reason: string): Finding {
  return { kind: 'finding', data_type: 'numeric', value, label: null, passed, reason }
}

/** A categorical score. */
export function category(label: string, passed: boolean, reason: string): Finding {
  return { kind: 'finding', data_type: 'categorical', value: null, label, passed, reason }
}
