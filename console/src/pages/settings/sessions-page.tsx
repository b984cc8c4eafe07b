/** The sessions of the user, with buttons that revoke one, the others, or all. */
import type { ownSession } from '../../../../api/accounts/schemas.ts'
import type { WireOf } from '../../api/wire.ts'
import { memberColumns } from '../../ui/members.tsx'
import type { FormValues } from '../../ui/form.tsx'
import { RequestButton } from '../../ui/request-button.tsx'
import { SignOutButton } from '../../ui/sign-out-button.tsx'
import { PasswordField } from '../account/account-fields.tsx'
import { ListPage } from '../evaluation/list-page.tsx'

type Session = WireOf<typeof ownSession>
const path = '/v1/auth/sessions'

export function SessionsPage() {
  const columns = memberColumns<Session>('created_at', 'last_used_at', 'address', 'user_agent')
  const actions = (
    <>
      <PasswordButton />
      <SignOutButton all label="Sign out everywhere" />
    </>
  )
  const table = { path, actions, columns: [...columns, { name: 'Actions', cell: revokeCell }] }
  return <ListPage title="Sessions" {...table} keyOf={({ session_id }) => session_id} />
}

function revokeCell({ session_id, is_current }: Session) {
  const request = () => ({ path: `${path}/${session_id}`, method: 'DELETE' as const })
  if (is_current) return 'this session'
  return (
    <RequestButton label="Revoke" needs="viewer" {...{ request }}>
      <p>Its tokens are rejected within 5 seconds.</p>
    </RequestButton>
  )
}

function PasswordButton() {
  const request = ({ exact }: FormValues) => {
    const body = {
      current_password: exact('current_password'),
      new_password: exact('new_password')
    }
    return { path: '/v1/auth/password', method: 'PUT' as const, body }
  }
  return (
    <RequestButton label="Change password" needs="viewer" request={request}>
      <p>All your other sessions end within 5 seconds.</p>
      <PasswordField label="Current password" name="current_password" />
      <PasswordField label="New password" name="new_password" isNew />
    </RequestButton>
  )
}
