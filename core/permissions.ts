/** What each role may do, in words: for whoever shows buttons. The routes ask for roles. */
import { userRoles } from './user-role.ts'

const added = {
  viewer: ['read'],
  member: ['evaluation:try', 'feedback:write', 'export', 'profiles:write'],
  admin: [
    'evaluation:write',
    'api_keys:write',
    'members:write',
    'organization:write',
    'decisions:delete',
    'audit:read'
  ],
  owner: ['owners:write']
} as const

/** Those of the role and of all below it; none of a role that is not known. */
export function permissionsOf(role: string): readonly string[] {
  const rank = userRoles.findIndex((each) => each === role)
  return userRoles.slice(0, rank + 1).flatMap((each) => added[each])
}
