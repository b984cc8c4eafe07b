/** Each role may do what the ones below it may, and something more. */
import { expect, test } from '@jest/globals'
import { permissionsOf } from '../../../core/permissions.ts'
import { userRoles } from '../../../core/user-role.ts'

test('grow from role to role, without a word twice', () => {
  const each = userRoles.map(permissionsOf)
  for (const [index, permissions] of each.entries()) {
    const before = each[index - 1] ?? []
    expect(permissions.slice(0, before.length)).toEqual(before)
    expect(permissions.length).toBeGreaterThan(before.length)
    expect(new Set(permissions).size).toBe(permissions.length)
  }
  expect(permissionsOf('viewer')).toEqual(['read'])
})

test.each(['', 'root', 'Owner'])('a role that is not known (%j) may nothing', (role) => {
  expect(permissionsOf(role)).toEqual([])
})
