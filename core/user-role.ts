/** What a person may do in an organization: each role may do what the ones before it may. */

export const userRoles = ['viewer', 'member', 'admin', 'owner'] as const
export type UserRole = (typeof userRoles)[number]

/** Whether somebody of one role may do what asks for another; an unknown role may do nothing. */
export function mayActAs(role: string, needed: UserRole): boolean {
  return userRoles.indexOf(role as UserRole) >= userRoles.indexOf(needed)
}
