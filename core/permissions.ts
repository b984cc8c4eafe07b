/** Permissions: lists what each role may do, for display in user interfaces. Routes check roles
 * instead.
 */
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
    'audit:read',
    'dead_letters:write'
  ],
  owner: ['owners:write']
} as const

/**
 * Returns the permissions of the role, including those of all lower roles. An unknown role has
 * none.
 */
export function permissionsOf(role: string): readonly string[] {
  const rank = userRoles.findIndex((each) => each === role)
  return userRoles.slice(0, rank + 1).flatMap((each) => added[each])
}
