/** What `sluice erase --list --json` printed is read again, or refused whole. */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { parseErasures } from '../../../../cli/erasure/parse-erasures.ts'

const remembered = {
  erasure_id: randomUUID(),
  organization_id: randomUUID(),
  scope: 'session',
  subject: 's',
  received_until: '2026-01-31T08:00:00.001Z',
  requested_at: '2026-01-31T08:00:00.001Z',
  requested_by: 'Ana',
  reason: null
}
const erasure = { ...remembered, finished_at: '2026-01-31T08:00:01.000Z', decisions: 3 }

test('lists one behind the other are one list, without what became of them', () => {
  const whole = { ...erasure, scope: 'organization', subject: null, reason: 'request 17' }
  const lines = [[erasure], [], [whole, erasure]].map((list) => JSON.stringify(list)).join('\n')
  const at = new Date(erasure.received_until)
  const first = { ...remembered, received_until: at, requested_at: at }
  const second = { ...first, scope: 'organization', subject: null, reason: 'request 17' }
  expect(parseErasures(`${lines}\n`)).toEqual([first, second, first])
})

test.each([
  ['no JSON', 'Nothing was ever asked to be erased.', 'line 1 is not what'],
  ['no list', '{}', 'it is no list'],
  ['null', '[null]', 'no scope that is known'],
  ['a scope of another version', JSON.stringify([{ ...erasure, scope: 'domain' }]), 'no scope'],
  ['no subject', JSON.stringify([{ ...erasure, subject: null }]), 'no subject for its scope'],
  ['an empty subject', JSON.stringify([{ ...erasure, subject: '' }]), 'no subject for its scope'],
  ['no decision', JSON.stringify([{ ...erasure, scope: 'decision' }]), 'subject is no UUID'],
  ['no id', JSON.stringify([{ ...erasure, erasure_id: 'x' }]), 'erasure_id is no UUID'],
  ['no time', JSON.stringify([{ ...erasure, received_until: 'x' }]), 'received_until is no time'],
  ['nobody', JSON.stringify([{ ...erasure, requested_by: 7 }]), 'requested_by is no text']
])('%s is refused', (_what, text, message) => {
  expect(() => parseErasures(text)).toThrow(message)
})
