/** Tests which roles include which other roles. */
import { expect, test } from '@jest/globals'
import { mayActAs, userRoles } from '../../../core/user-role.ts'

test('each role includes the ones before it, and no other', () => {
  const allowed = userRoles.map((role) => userRoles.filter((needed) => mayActAs(role, needed)))
  expect(allowed).toEqual([
    ['viewer'],
    ['viewer', 'member'],
    ['viewer', 'member', 'admin'],
    ['viewer', 'member', 'admin', 'owner']
  ])
})

test.each(['', 'Owner', 'root', 'constructor'])('the unknown role %j includes none', (role) => {
  expect(userRoles.filter((needed) => mayActAs(role, needed))).toEqual([])
})
