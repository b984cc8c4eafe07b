/** Pages for users who are not signed in: registration, passwords, and invites. */
import { Link } from 'wouter'
import { post } from '../../session/session-store.ts'
import type { FormValues } from '../../ui/form.tsx'
import { useTitle } from '../../ui/page.tsx'
import { AcceptInvite } from './accept-invite.tsx'
import { EmailField, PasswordField, Step, TokenField } from './account-fields.tsx'
import { ConfirmRegistration, Register, VerifyEmail } from './register.tsx'

interface AccountPageProps {
  readonly name: string
  /** The token of the link that opened the page. */
  readonly token: string | null
}

const titles = new Map([
  ['forgot-password', 'Reset your password'],
  ['reset-password', 'Choose a new password'],
  ['accept-invite', 'Accept the invite'],
  ['register', 'Register an organization'],
  ['confirm-registration', 'Confirm your registration'],
  ['verify-email', 'Verify your email address']
])

export function AccountPage({ name, token }: AccountPageProps) {
  const title = titles.get(name) ?? ''
  useTitle(title)
  return (
    <main className="sign-in">
      <h1>{title}</h1>
      {name === 'forgot-password' && <ForgotPassword />}
      {name === 'reset-password' && <ResetPassword token={token} />}
      {name === 'accept-invite' && <AcceptInvite token={token} />}
      {name === 'register' && <Register />}
      {name === 'confirm-registration' && <ConfirmRegistration token={token} />}
      {name === 'verify-email' && <VerifyEmail token={token} />}
      <Link href="/">Go to the console</Link>
    </main>
  )
}

function ForgotPassword() {
  const request = ({ text }: FormValues) =>
    post('/v1/auth/password/forgot', { email: text('email') })
  const done =
    'If this address has an account, we sent it an email. The link is valid for one hour.'
  return (
    <Step action="Send a link" {...{ request, done }}>
      <EmailField />
    </Step>
  )
}

function ResetPassword({ token }: Pick<AccountPageProps, 'token'>) {
  const request = ({ text, exact }: FormValues) =>
    post('/v1/auth/password/reset', {
      token: token ?? text('token'),
      new_password: exact('new_password')
    })
  const done = 'Your password has been changed, and all your sessions have ended.'
  return (
    <Step action="Change the password" {...{ request, done }}>
      <TokenField token={token} />
      <PasswordField label="New password" name="new_password" isNew />
    </Step>
  )
}
