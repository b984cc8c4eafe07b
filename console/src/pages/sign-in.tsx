/** Signs in: as a page for a new visitor, as a dialog over the page after the session has ended. */
import { useEffect, useRef, useState } from 'react'
import type { FormEvent } from 'react'
import { signIn } from '../session/session.ts'
import { ProblemBox } from '../ui/problem-box.tsx'

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
      <SignInForm reason={reason} />
    </dialog>
  )
}

function SignInForm({ reason }: SignInProps) {
  const [error, setError] = useState<Error | null>(null)
  const [isBusy, setIsBusy] = useState(false)
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault()
    const form = new FormData(event.currentTarget)
    setIsBusy(true)
    setError(null)
    signIn(textOf(form, 'email'), textOf(form, 'password')).catch((failure: unknown) => {
      setError(failure instanceof Error ? failure : new Error(String(failure)))
      setIsBusy(false)
    })
  }
  return (
    <form onSubmit={submit}>
      <h1 id="sign-in-title">Sign in to Sluice</h1>
      {reason !== null && <p className="quiet">{reason}</p>}
      <label>
        Email
        <input name="email" type="email" autoComplete="username" required autoFocus />
      </label>
      <label>
        Password
        <input name="password" type="password" autoComplete="current-password" required />
      </label>
      {error !== null && <ProblemBox error={error} />}
      <button type="submit" className="primary" disabled={isBusy}>
        {isBusy ? 'Signing in…' : 'Sign in'}
      </button>
    </form>
  )
}

function textOf(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
