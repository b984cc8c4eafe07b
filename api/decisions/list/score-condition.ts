/** A condition on the score of a name, as `name:op:value` or in parts. */
import { nameCharsMax } from '../../results/scores/score-filters.ts'

export const comparisons = ['eq', 'ne', 'lt', 'le', 'gt', 'ge'] as const
export const assertions = ['passed', 'failed', 'exists'] as const
export const scoreOperators = [...comparisons, ...assertions] as const

export type ScoreOperator = (typeof scoreOperators)[number]

export interface ScoreCondition {
  readonly name: string
  readonly op: ScoreOperator
  /** Of a comparison: a number, a label, or whether a boolean score is true. */
  readonly value?: number | string | boolean | null
}

const ordered: ReadonlySet<string> = new Set(['lt', 'le', 'gt', 'ge'])

/**
 * Read from the right, since a name may hold colons. A label that holds one is for the body of a
 * search, which names the parts.
 * @returns null when it is none.
 */
export function readScoreCondition(text: string): ScoreCondition | null {
  const parts = text.split(':')
  const last = parts.at(-1) ?? ''
  const operator = parts.at(-2) ?? ''
  if (isIn(comparisons, operator)) {
    return conditionOf({ name: parts.slice(0, -2).join(':'), op: operator, value: valueOf(last) })
  }
  if (!isIn(assertions, last)) return null
  return conditionOf({ name: parts.slice(0, -1).join(':'), op: last })
}

/** What is wrong with it, for whoever wrote it; null when it can be looked for. */
export function flawOf({ op, value }: ScoreCondition): string | null {
  if (!isIn(comparisons, op)) {
    return value === undefined || value === null ? null : `takes no value with ${op}`
  }
  if (value === undefined || value === null || value === '') return `needs a value with ${op}`
  return ordered.has(op) && typeof value !== 'number' ? `needs a number with ${op}` : null
}

function conditionOf(condition: ScoreCondition): ScoreCondition | null {
  const { length } = [...condition.name]
  return length > 0 && length <= nameCharsMax && flawOf(condition) === null ? condition : null
}

function valueOf(text: string): number | string | boolean {
  if (text === 'true' || text === 'false') return text === 'true'
  return /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(text) && Number.isFinite(Number(text))
    ? Number(text)
    : text
}

function isIn<T extends string>(texts: readonly T[], text: string): text is T {
  return (texts as readonly string[]).includes(text)
}
