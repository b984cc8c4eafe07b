/** Signs in: as a page for a new visitor, as a dialog over the page after the session has ended. */
import { useEffect, useRef } from 'react'
import { signIn } from '../session/session.ts'
import { EmailField, PasswordField } from '../ui/account-fields.tsx'
import { Form } from '../ui/form.tsx'
import type { FormValues } from '../ui/form.tsx'

interface SignInProps {
  /** Why the user is not signed in; null for a new visitor. */
  readonly reason: string | null
}

export function SignInPage({ reason }: SignInProps) {
  return (
    <main className="sign-in">
      <SignInForm reason={reason} />
    </main>
  )
}

/** Keeps the page behind it, so that nothing the user did is lost. */
export function SignInDialog({ reason }: SignInProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => dialog.current?.showModal(), [])
  return (
    <dialog
      ref={dialog}
      className="sign-in"
      aria-labelledby="sign-in-title"
      onClose={() => dialog.current?.showModal()}
    >
      <SignInForm reason={reason} target="_blank" />
    </dialog>
  )
}

function SignInForm({ reason, target }: SignInProps & { readonly target?: '_blank' }) {
  const submit = ({ text, exact }: FormValues): Promise<void> =>
    signIn({ email: text('email'), password: exact('password') })
  return (
    <>
      <h1 id="sign-in-title">Sign in to Sluice</h1>
      {reason !== null && <p className="quiet">{reason}</p>}
      <Form action="Sign in" onSubmit={submit}>
        <EmailField />
        <PasswordField />
      </Form>
      <a href="/console/forgot-password" target={target}>
        Forgot your password?
      </a>
    </>
  )
}
