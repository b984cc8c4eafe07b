/** Tests that each role has all permissions of the role below it, and more. */
import { expect, test } from '@jest/globals'
import { permissionsOf } from '../../../core/permissions.ts'
import { userRoles } from '../../../core/user-role.ts'

test('grow from role to role without duplicates', () => {
  const each = userRoles.map(permissionsOf)
  for (const [index, permissions] of each.entries()) {
    const before = each[index - 1] ?? []
    expect(permissions.slice(0, before.length)).toEqual(before)
    expect(permissions.length).toBeGreaterThan(before.length)
    expect(new Set(permissions).size).toBe(permissions.length)
  }
  expect(permissionsOf('viewer')).toEqual(['read'])
})

test.each(['', 'root', 'Owner'])('an unknown role (%j) has no permissions', (role) => {
  expect(permissionsOf(role)).toEqual([])
})
