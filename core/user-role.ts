/** Roles of users in an organization. Each role has the permissions of the roles before it. */

export const userRoles = ['viewer', 'member', 'admin', 'owner'] as const
export type UserRole = (typeof userRoles)[number]

/** Checks whether a role includes the permissions of another one. An unknown role includes none. */
export function mayActAs(role: string, needed: UserRole): boolean {
  return userRoles.indexOf(role as UserRole) >= userRoles.indexOf(needed)
}
