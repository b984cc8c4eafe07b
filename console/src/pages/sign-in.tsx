/** Signs in: as a page for a new visitor, as a dialog over the page after the session has ended. */
import { signIn } from '../session/session.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import type { FormValues } from '../ui/form.tsx'
import { EmailField, PasswordField } from './account/account-fields.tsx'

interface SignInProps {
  /** Why the user is not signed in; null for a new visitor. */
  readonly reason: string | null
}

const title = 'Sign in to Sluice'

export function SignInPage({ reason }: SignInProps) {
  return (
    <main className="sign-in">
      <h1>{title}</h1>
      <SignInForm reason={reason} />
      <p>
        <a href="/console/register">Register an organization</a>
      </p>
    </main>
  )
}

/** Keeps the page behind it, so that nothing the user did is lost. */
export function SignInDialog({ reason }: SignInProps) {
  return (
    <Dialog title={title} canEscape={false} onClose={() => undefined}>
      <SignInForm reason={reason} target="_blank" />
    </Dialog>
  )
}

function SignInForm({ reason, target }: SignInProps & { readonly target?: '_blank' }) {
  const submit = ({ text, exact }: FormValues): Promise<void> =>
    signIn({ email: text('email'), password: exact('password') })
  return (
    <>
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
