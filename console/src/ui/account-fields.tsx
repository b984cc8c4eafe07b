/** Fields of the forms for accounts. */
import { Field } from './form.tsx'

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
