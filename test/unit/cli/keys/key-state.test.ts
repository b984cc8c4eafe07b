/** Tests the state column of a list of keys. */
import { expect, test } from '@jest/globals'
import { stateOf } from '../../../../cli/keys/key-state.ts'

const now = Date.UTC(2026, 0, 1)
const never = { revoked_at: null, expires_at: null, replaced_by: null }

test.each([
  ['active', never],
  ['active', { ...never, expires_at: new Date(now + 1) }],
  ['expired', { ...never, expires_at: new Date(now) }],
  ['rotated to B, still valid', { ...never, expires_at: new Date(now + 1), replaced_by: 'B' }],
  ['expired', { ...never, expires_at: new Date(now), replaced_by: 'B' }],
  ['revoked', { revoked_at: new Date(now), expires_at: new Date(now), replaced_by: 'B' }]
])('%s', (state, row) => {
  expect(stateOf(row, now)).toBe(state)
})
