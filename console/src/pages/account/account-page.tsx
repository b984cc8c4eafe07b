/** Pages for users who are not signed in: a forgotten password, a new password, and an invite. */
import { useState } from 'react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { post } from '../../session/session-store.ts'
import { Form } from '../../ui/form.tsx'
import type { FormValues } from '../../ui/form.tsx'
import { useTitle } from '../../ui/page.tsx'
import { AcceptInvite } from './accept-invite.tsx'
import { EmailField, PasswordField, TokenField } from './account-fields.tsx'

interface AccountPageProps {
  readonly name: string
  /** The token of the link that opened the page. */
  readonly token: string | null
}

const titles = new Map([
  ['forgot-password', 'Forgotten password'],
  ['reset-password', 'Choose a new password'],
  ['accept-invite', 'Accept the invite']
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
      <Link href="/">Go to the console</Link>
    </main>
  )
}

function ForgotPassword() {
  const request = ({ text }: FormValues) =>
    post('/v1/auth/password/forgot', { email: text('email') })
  const done = 'If an account has this address, an email was sent to it. It is valid for an hour.'
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
  const done = 'The password is changed, and all your sessions have ended.'
  return (
    <Step action="Change the password" {...{ request, done }}>
      <TokenField token={token} />
      <PasswordField label="New password" name="new_password" isNew />
    </Step>
  )
}

interface StepProps {
  readonly action: string
  readonly request: (values: FormValues) => Promise<unknown>
  /** Replaces the form after the request. */
  readonly done: string
  readonly children: ReactNode
}

function Step({ action, request, done, children }: StepProps) {
  const [isDone, setDone] = useState(false)
  if (isDone) return <p role="status">{done}</p>
  return (
    <Form {...{ action }} onSubmit={request} onDone={() => setDone(true)}>
      {children}
    </Form>
  )
}
