/** Hashes the parts of an evaluator that determine its scores: kind, configuration, output and
 * timeout.
 */
import { createHash } from 'node:crypto'
import type { EvaluatorDraft } from '../core/evaluation/evaluator-definition.ts'

/** Returns `sha256:` and 64 hex digits. Name, description and the order of members are ignored. */
export function configHashOf(draft: Omit<EvaluatorDraft, 'name' | 'description'>): string {
  const { kind, config, output, timeout_ms } = draft
  const text = JSON.stringify(sorted({ kind, config, output, timeout_ms }))
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]): [string, unknown] => {
    return [name, sorted(member)]
  })
  return Object.fromEntries(members.sort(([one], [other]) => (one < other ? -1 : 1)))
}
