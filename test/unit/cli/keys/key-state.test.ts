/** What a list of keys says of each. */
import { expect, test } from '@jest/globals'
import { stateOf } from '../../../../cli/keys/key-state.ts'

const now = Date.UTC(2026, 0, 1)
const never = { revoked_at: null, expires_at: null, replaced_by: null }

test.each([
  ['active', never],
  ['active', { ...never, expires_at: new Date(now + 1) }],
  ['expired', { ...never, expires_at: new Date(now) }],
  ['until rotated to B', { ...never, expires_at: new Date(now + 1), replaced_by: 'B' }],
  ['expired', { ...never, expires_at: new Date(now), replaced_by: 'B' }],
  ['revoked', { revoked_at: new Date(now), expires_at: new Date(now), replaced_by: 'B' }]
])('%s', (state, row) => {
  expect(stateOf(row, now)).toBe(state)
})
