/** The open invites of the organization, and the button that creates one. */
import type { invite, inviteWithToken } from '../../../../../api/organization/invites/schemas.ts'
import { usePages } from '../../../api/use-api.ts'
import type { WireOf } from '../../../api/wire.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { PagedTable } from '../../../ui/data-table.tsx'
import type { TableColumn } from '../../../ui/data-table.tsx'
import { Field } from '../../../ui/form.tsx'
import type { FormValues } from '../../../ui/form.tsx'
import { memberColumns } from '../../../ui/members.tsx'
import { RequestButton } from '../../../ui/request-button.tsx'
import { RoleField } from './role-field.tsx'

type Invite = WireOf<typeof invite>
const path = '/v1/auth/organization/invites'

const columns: readonly TableColumn<Invite>[] = [
  ...memberColumns<Invite>('email', 'role', 'state', 'created_at', 'expires_at'),
  { name: 'Actions', cell: withdrawCell }
]

export function Invites() {
  const list = usePages<Invite>(path)
  const keyOf = ({ invite_id }: Invite): string => invite_id
  return <PagedTable label="Open invites" empty="No open invites." {...{ list, columns, keyOf }} />
}

function withdrawCell({ invite_id, email }: Invite) {
  const request = () => ({ path: `${path}/${invite_id}`, method: 'DELETE' as const })
  return (
    <RequestButton label="Withdraw" needs="admin" request={request}>
      <p>The link that {email} received stops working.</p>
    </RequestButton>
  )
}

export function InviteButton() {
  const request = ({ text }: FormValues) => {
    return { path, body: { email: text('email'), role: text('role') } }
  }
  return (
    <RequestButton label="Invite" needs="admin" isPrimary staysOpen {...{ request, show }}>
      <Field label="Email" name="email" type="email" required autoFocus />
      <RoleField value="member" />
    </RequestButton>
  )
}

/** Shows the link once. With open registration, only the email contains it. */
function show(created: object) {
  const { email, token } = created as WireOf<typeof inviteWithToken>
  if (token === null) return <p>{email} gets an email with a link.</p>
  const link = `${location.origin}/console/accept-invite#${token}`
  return (
    <>
      <p>{email} can join with this link. It is shown only once.</p>
      <pre className="command">{link}</pre>
      <CopyButton text={link} label="Copy the link" />
    </>
  )
}
