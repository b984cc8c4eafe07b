/** Shows a part of a page to some roles only. Other users see who has that role. */
import type { ReactNode } from 'react'
import type { member } from '../../../api/organization/schemas.ts'
import { mayActAs } from '../../../core/user-role.ts'
import type { UserRole } from '../../../core/user-role.ts'
import { useRead } from '../api/use-api.ts'
import type { PageOf, WireOf } from '../api/wire.ts'
import { useMe } from '../session/use-session.ts'
import { Loaded } from './loaded.tsx'

interface ForRoleProps {
  /** The lowest role that may see it. The server checks it, too. */
  readonly needs: UserRole
  /** What is shown, for example `API keys`. */
  readonly what: string
  readonly children: ReactNode
}

export function ForRole({ needs, what, children }: ForRoleProps) {
  const path = '/v1/auth/organization/members?limit=200'
  const { data: members } = useRead<PageOf<WireOf<typeof member>>>(path)
  const holders = members?.data.filter(({ role }) => mayActAs(role, needs)) ?? []
  const emails = holders.map(({ email }) => email).join(', ')
  const ask = `You need the role ${needs} or higher to see this. ${emails && `Ask ${emails}.`}`
  return (
    <Loaded query={useMe()} what={what.toLowerCase()}>
      {({ role }) => (mayActAs(role, needs) ? children : <p className="empty">{ask}</p>)}
    </Loaded>
  )
}
