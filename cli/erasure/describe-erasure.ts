/** Formats erasures as text. */
import { escapedText } from '../plain-text.ts'
import type { ErasureRule } from '../../core/decision/erasure.ts'
import type { Erasure } from '../../store/erasure/erasure-table.ts'

/**
 * Describes the target of an erasure. Quotes the ID, because a client chose it and it may contain
 * control characters.
 */
export function describeTarget({ organization_id, scope, subject }: ErasureRule): string {
  if (subject === null) return `organization ${organization_id}`
  return `${scope} ${quoted(subject)} of organization ${organization_id}`
}

export function describeErasure(erasure: Erasure): string {
  const { erasure_id, requested_at, requested_by, reason, finished_at } = erasure
  const { decisions, evaluation_runs, scores, received_until } = erasure
  const state = finished_at === null ? 'unfinished' : `finished ${finished_at.toISOString()}`
  return [
    `${erasure_id}  ${describeTarget(erasure)}`,
    `received until ${received_until.toISOString()}`,
    `requested ${requested_at.toISOString()} by ${quoted(requested_by)}`,
    ...(reason === null ? [] : [`because ${quoted(reason)}`]),
    `${decisions} decisions, ${evaluation_runs} runs and ${scores} scores erased, ${state}`
  ].join('\n  ')
}

function quoted(text: string): string {
  return escapedText(JSON.stringify(text))
}
