/** A button that ends the session, or all sessions of the user. */
import { useState } from 'react'
import { signOut } from '../session/use-session.ts'
import { ProblemBox } from './problem-box.tsx'

interface SignOutButtonProps {
  readonly label: string
  /** Whether to end the sessions in other browsers, too. */
  readonly all?: boolean
}

export function SignOutButton({ label, all = false }: SignOutButtonProps) {
  const [error, setError] = useState<unknown>(null)
  return (
    <>
      {error instanceof Error && <ProblemBox error={error} />}
      <button type="button" className="small" onClick={() => void signOut(all).catch(setError)}>
        {label}
      </button>
    </>
  )
}
