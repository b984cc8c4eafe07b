/** Registers an organization, and confirms the email address of a user. */
import { post } from '../../session/session-store.ts'
import { signIn } from '../../session/session.ts'
import { Field, Form } from '../../ui/form.tsx'
import type { FormValues } from '../../ui/form.tsx'
import { EmailField, PasswordField, Step, TokenField, useLeave } from './account-fields.tsx'

interface TokenProps {
  readonly token: string | null
}

export function Register() {
  const request = ({ text, exact }: FormValues) =>
    post('/v1/auth/register', {
      email: text('email'),
      password: exact('password'),
      organization_name: text('organization_name'),
      // The welcome page creates the first key, where it can be stored.
      create_key: false
    })
  const done = 'An email was sent to this address. Open its link within a day.'
  return (
    <Step action="Register" {...{ request, done }}>
      <Field label="Organization" name="organization_name" required />
      <EmailField />
      <PasswordField isNew />
    </Step>
  )
}

export function ConfirmRegistration({ token }: TokenProps) {
  const leave = useLeave()
  const confirm = ({ text, exact }: FormValues): Promise<void> => {
    const credentials = { token: token ?? text('token'), password: exact('password') }
    return signIn(credentials, '/v1/auth/register/confirm')
  }
  return (
    <Form action="Create the account" onSubmit={confirm} onDone={leave}>
      <p>Enter the password that you registered.</p>
      <TokenField token={token} />
      <PasswordField />
    </Form>
  )
}

export function VerifyEmail({ token }: TokenProps) {
  const request = ({ text }: FormValues) =>
    post('/v1/auth/email/verify', { token: token ?? text('token') })
  return (
    <Step action="Verify the address" {...{ request }} done="The address is verified.">
      <TokenField token={token} />
    </Step>
  )
}
