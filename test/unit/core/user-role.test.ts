/** Who may do what others may. */
import { expect, test } from '@jest/globals'
import { mayActAs, userRoles } from '../../../core/user-role.ts'

test('each role may do what the ones before it may, and nothing else', () => {
  const allowed = userRoles.map((role) => userRoles.filter((needed) => mayActAs(role, needed)))
  expect(allowed).toEqual([
    ['viewer'],
    ['viewer', 'member'],
    ['viewer', 'member', 'admin'],
    ['viewer', 'member', 'admin', 'owner']
  ])
})

test.each(['', 'Owner', 'root', 'constructor'])('%j is no role and may do nothing', (role) => {
  expect(userRoles.filter((needed) => mayActAs(role, needed))).toEqual([])
})
