/** Holds one decision that a scripted server has against what a case expects of it. */
import type { ExpectedDecision } from './conformance-case.ts'
import { parseExactly } from './exact-json.ts'
import { differencesOf } from './match.ts'
import type { CaseRun } from './case-run.ts'

export function faultsOfDecision(expected: ExpectedDecision, { server, ids }: CaseRun): string[] {
  const { nth, input_text, depth_max, changes, changes_count, ...members } = expected
  const path = `decision ${nth}`
  // Where nobody was told an id, they are counted as they came.
  const text = server.held.get(ids[nth] ?? [...server.held.keys()][nth] ?? '')?.text
  if (text === undefined) return [`${path} is not held`]
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

/** How deep `input` is nested: 0 for a text or a number. */
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
