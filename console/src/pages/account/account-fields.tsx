/** Fields of the forms for accounts. */
import { Field } from '../../ui/form.tsx'

export function EmailField() {
  return (
    <Field label="Email" name="email" type="email" autoComplete="username" required autoFocus />
  )
}

interface PasswordFieldProps {
  readonly label?: string
  readonly name?: string
  /** Whether the user chooses the password here. */
  readonly isNew?: boolean
}

export function PasswordField(props: PasswordFieldProps) {
  const { label = 'Password', name = 'password', isNew = false } = props
  const autoComplete = isNew ? 'new-password' : 'current-password'
  const hint = isNew ? 'From 8 to 200 characters.' : ''
  return <Field {...{ label, name, autoComplete, hint }} type="password" required />
}

/** A field for the token of an email, unless a link has brought it. */
export function TokenField({ token }: { readonly token: string | null }) {
  if (token !== null) return null
  const hint = 'Or open the link in the email again.'
  return (
    <Field label="Token from the email" name="token" required autoComplete="off" {...{ hint }} />
  )
}
