/** Accepts an invite: as the signed-in user, after signing in, or with a new account. */
import { useState } from 'react'
import type { membership } from '../../../../api/organization/invites/schemas.ts'
import { readJson } from '../../api/api.ts'
import type { WireOf } from '../../api/wire.ts'
import { signIn } from '../../session/session.ts'
import { switchOrganization, useMe, useSession } from '../../session/use-session.ts'
import { Form } from '../../ui/form.tsx'
import type { FormValues } from '../../ui/form.tsx'
import { EmailField, PasswordField, TokenField, useLeave } from './account-fields.tsx'

interface InviteProps {
  readonly token: string | null
}

export function AcceptInvite({ token }: InviteProps) {
  const { state } = useSession()
  // A session that begins here does not change the page before it is left.
  const [isSignedIn] = useState(state === 'signed_in')
  return isSignedIn ? <Join token={token} /> : <Enter token={token} />
}

function Join({ token }: InviteProps) {
  const leave = useLeave()
  const { data } = useMe()
  const join = async ({ text }: FormValues): Promise<void> => {
    const body = { token: token ?? text('token') }
    const path = '/v1/auth/invites/accept'
    const { organization_id } = await readJson<WireOf<typeof membership>>({ path, body })
    await switchOrganization(organization_id)
  }
  return (
    <Form action="Accept" onSubmit={join} onDone={leave}>
      <p>You are signed in as {data?.user.email}. The invite must be for this address.</p>
      <TokenField token={token} />
    </Form>
  )
}

function Enter({ token }: InviteProps) {
  const leave = useLeave()
  const [hasAccount, setHasAccount] = useState(false)
  const enter = ({ text, exact }: FormValues): Promise<void> => {
    const invite_token = token ?? text('token')
    const credentials = { email: text('email'), password: exact('password'), invite_token }
    return signIn(credentials, hasAccount ? '/v1/auth/login' : '/v1/auth/register')
  }
  return (
    <Form action={hasAccount ? 'Sign in' : 'Create the account'} onSubmit={enter} onDone={leave}>
      <label className="check">
        <input type="checkbox" onChange={(event) => setHasAccount(event.target.checked)} />I have an
        account
      </label>
      <TokenField token={token} />
      <EmailField />
      <PasswordField isNew={!hasAccount} />
    </Form>
  )
}
