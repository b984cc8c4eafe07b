/** Parts of the forms for accounts. */
import { useState } from 'react'
import type { ReactNode } from 'react'
import { useLocation } from 'wouter'
import { Field, Form } from '../../ui/form.tsx'
import type { FormValues } from '../../ui/form.tsx'

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
  const hint = isNew ? '8 to 200 characters.' : ''
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

interface StepProps {
  readonly action: string
  readonly request: (values: FormValues) => Promise<unknown>
  /** Replaces the form after the request. */
  readonly done: string
  readonly children: ReactNode
}

export function Step({ action, request, done, children }: StepProps) {
  const [isDone, setDone] = useState(false)
  if (isDone) return <p role="status">{done}</p>
  return (
    <Form {...{ action }} onSubmit={request} onDone={() => setDone(true)}>
      {children}
    </Form>
  )
}

/** Returns a function that opens the first page, without a way back to the form. */
export function useLeave() {
  const [, navigate] = useLocation()
  return () => navigate('/', { replace: true })
}
