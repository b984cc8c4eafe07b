/** Tests the outcome of each record in a replay or drop. */
import { expect, test } from '@jest/globals'
import { resultsOf } from '../../../../api/dead-letters/action-results.ts'
import type { Action, ActionRow } from '../../../../api/dead-letters/action-results.ts'

const open: ActionRow = {
  dead_letter_id: 'a',
  reason: 'unknown_schema',
  state: 'open',
  requested_action: null,
  failure: null
}

const refused = new Map<string, never>()

/** Returns the outcome of the record, and its reason if it has one. */
function outcomeOf(
  after: Partial<ActionRow> | null,
  requested: readonly string[] | null,
  action: Action = 'replay'
): string {
  const rows = after === null ? [] : [{ ...open, ...after }]
  const ended = { action, requested: requested && new Set(requested), rows, refused }
  const [{ outcome, reason } = { outcome: '', reason: '' }] = resultsOf([open], ended, [])
  return [outcome, reason].filter(Boolean).join(' ')
}

test.each([
  ['replayed', { state: 'replayed' }, ['a']],
  ['already_replayed', { state: 'replayed' }, []],
  ['already_dropped', { state: 'dropped' }, ['a']],
  ['already_dropped', { state: 'dropped' }, []],
  ['pending', { requested_action: 'replay' }, ['a']],
  ['pending', { requested_action: 'replay' }, []],
  ['failed in_progress', { requested_action: 'drop' }, []],
  ['failed kafka_unavailable', { failure: 'kafka_unavailable' }, ['a']],
  ['failed record_deleted', null, ['a']],
  ['selected', {}, null],
  ['selected', { failure: 'kafka_unavailable' }, null],
  ['already_replayed', { state: 'replayed' }, null]
] as const)('a replay is %s if the record then is %j', (outcome, after, requested) => {
  expect(outcomeOf(after, requested)).toBe(outcome)
})

test.each([
  ['dropped', { state: 'dropped' }],
  ['already_replayed', { state: 'replayed' }]
] as const)('a drop is %s if the record then is %j', (outcome, after) => {
  expect(outcomeOf(after, ['a'], 'drop')).toBe(outcome)
})

test('keeps the order of the selection, and adds unknown ids', () => {
  const [one, two] = [open, { ...open, dead_letter_id: 'b' }]
  const ended = {
    action: 'replay',
    requested: new Set<string>(),
    rows: [two, one],
    refused
  } as const
  const results = resultsOf([one, two], ended, ['c'])
  expect(results.map(({ dead_letter_id }) => dead_letter_id)).toEqual(['a', 'b', 'c'])
  expect(results[2]).toEqual({ dead_letter_id: 'c', outcome: 'not_found', reason: null })
})

test.each([
  [{}, 'failed', 'too_many_pending'],
  [{ state: 'replayed' }, 'already_replayed', null],
  [{ requested_action: 'replay' }, 'pending', null]
] as const)('a record without a request that is %j is %s', (after, outcome, reason) => {
  const rows = [{ ...open, ...after }]
  const left = new Map([['a', 'too_many_pending' as const]])
  const ended = { action: 'replay', requested: new Set<string>(), rows, refused: left } as const
  expect(resultsOf([open], ended, [])).toEqual([{ dead_letter_id: 'a', outcome, reason }])
})
