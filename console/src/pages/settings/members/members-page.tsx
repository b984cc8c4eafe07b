/** The members of the organization with their roles, and its open invites. */
import type { member } from '../../../../../api/organization/schemas.ts'
import { usePages } from '../../../api/use-api.ts'
import type { WireOf } from '../../../api/wire.ts'
import { useMe } from '../../../session/use-session.ts'
import { PagedTable } from '../../../ui/data-table.tsx'
import type { TableColumn } from '../../../ui/data-table.tsx'
import { ForRole } from '../../../ui/for-role.tsx'
import type { FormValues } from '../../../ui/form.tsx'
import { memberColumns } from '../../../ui/members.tsx'
import { Page } from '../../../ui/page.tsx'
import { RequestButton } from '../../../ui/request-button.tsx'
import { InviteButton, Invites } from './invites.tsx'
import { RoleField } from './role-field.tsx'

export type MemberRow = WireOf<typeof member>
export const membersPath = '/v1/auth/organization/members'

const columns: readonly TableColumn<MemberRow>[] = [
  ...memberColumns<MemberRow>('email', 'name', 'role', 'email_verified', 'joined_at'),
  { name: 'Actions', cell: (each) => <MemberActions {...each} /> }
]

export function MembersPage() {
  const list = usePages<MemberRow>(membersPath)
  const keyOf = ({ user_id }: MemberRow): string => user_id
  return (
    <Page title="Members" actions={<InviteButton />}>
      <PagedTable label="Members" empty="No members." {...{ list, columns, keyOf }} />
      <section>
        <h2>Open invites</h2>
        <ForRole needs="admin" what="Invites">
          <Invites />
        </ForRole>
      </section>
    </Page>
  )
}

function MemberActions({ user_id, email, role }: MemberRow) {
  const isMe = useMe().data?.user.id === user_id
  const needs = role === 'owner' ? 'owner' : 'admin'
  const path = `${membersPath}/${user_id}`
  const change = ({ text }: FormValues) => {
    return { path, method: 'PATCH' as const, body: { role: text('role') } }
  }
  const remove = () => ({ path, method: 'DELETE' as const })
  return (
    <div className="row-actions">
      <RequestButton label="Change role" needs={needs} request={change}>
        <p>The new role of {email} takes effect within 5 seconds.</p>
        <RoleField value={role} />
      </RequestButton>
      <RequestButton
        label={isMe ? 'Leave' : 'Remove'}
        needs={isMe ? 'viewer' : needs}
        request={remove}
      >
        <p>
          The sessions of {email} in this organization end within 5 seconds, and the open invites
          that they created are withdrawn. API keys keep working.
        </p>
      </RequestButton>
    </div>
  )
}
