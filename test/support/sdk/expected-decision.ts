/** Compares a stored decision with the decision that a conformance case expects. */
import type { ExpectedDecision } from './conformance-case.ts'
import { parseExactly } from './exact-json.ts'
import { differencesOf } from './match.ts'
import type { CaseRun } from './case-run.ts'

export function faultsOfDecision(expected: ExpectedDecision, { server, ids }: CaseRun): string[] {
  const { nth, input_text, depth_max, changes, changes_count, ...members } = expected
  const path = `decision ${nth}`
  // If the ids are unknown, `nth` counts stored decisions in order of arrival.
  const text = server.held.get(ids[nth] ?? [...server.held.keys()][nth] ?? '')?.text
  if (text === undefined) return [`${path} is not stored`]
  const decision = JSON.parse(text) as Record<string, unknown>
  const { input } = parseExactly(text) as { input: unknown }
  const noted = changesOf(decision)
  const seen: readonly [string, unknown, unknown][] = [
    ['input_text', input_text, JSON.stringify(input)],
    ['depth_max', depth_max === undefined ? undefined : { at_most: depth_max }, depthOf(text)],
    ['changes', changes, noted],
    ['changes_count', changes_count, noted.length]
  ]
  return [
    ...seen.flatMap(([name, wanted, actual]) =>
      wanted === undefined ? [] : differencesOf(wanted, actual, { path: `${path}.${name}` })
    ),
    ...Object.entries(members).flatMap(([name, value]) =>
      differencesOf(value, decision[name], { path: `${path}.${name}`, strictness: 'exact' })
    )
  ]
}

function changesOf({ metadata }: Record<string, unknown>): string[] {
  const { sdk_changes = [] } = (metadata ?? {}) as { sdk_changes?: string[] }
  return [...sdk_changes].sort()
}

/** Returns the nesting depth of `input`; 0 for a scalar or an empty object or array. */
function depthOf(text: string): number {
  let values = [(JSON.parse(text) as { input: unknown }).input]
  let depth = -1
  for (; values.length > 0; depth++) {
    values = values.flatMap((value): unknown[] =>
      typeof value === 'object' && value !== null ? Object.values(value) : []
    )
  }
  return depth
}
