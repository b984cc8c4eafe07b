/** Tests the parsing of `sluice erase --list --json` output. */
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

test('merges concatenated lists, without their results', () => {
  const whole = { ...erasure, scope: 'organization', subject: null, reason: 'request 17' }
  const lines = [[erasure], [], [whole, erasure]].map((list) => JSON.stringify(list)).join('\n')
  const at = new Date(erasure.received_until)
  const first = { ...remembered, received_until: at, requested_at: at }
  const second = { ...first, scope: 'organization', subject: null, reason: 'request 17' }
  expect(parseErasures(`${lines}\n`)).toEqual([first, second, first])
})

test.each([
  ['no JSON', 'There are no erasures.', 'line 1 is not output'],
  ['no list', '{}', 'not a list'],
  ['null', '[null]', 'unknown scope'],
  [
    'a scope of another version',
    JSON.stringify([{ ...erasure, scope: 'domain' }]),
    'unknown scope'
  ],
  ['no subject', JSON.stringify([{ ...erasure, subject: null }]), 'does not match its scope'],
  ['an empty subject', JSON.stringify([{ ...erasure, subject: '' }]), 'does not match its scope'],
  ['no decision', JSON.stringify([{ ...erasure, scope: 'decision' }]), 'subject is not a UUID'],
  ['no id', JSON.stringify([{ ...erasure, erasure_id: 'x' }]), 'erasure_id is not a UUID'],
  [
    'no time',
    JSON.stringify([{ ...erasure, received_until: 'x' }]),
    'received_until is not a time'
  ],
  [
    'a requester that is a number',
    JSON.stringify([{ ...erasure, requested_by: 7 }]),
    'requested_by is not a string'
  ]
])('rejects %s', (_what, text, message) => {
  expect(() => parseErasures(text)).toThrow(message)
})
