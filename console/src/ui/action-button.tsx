/** A button for an action that some roles must not use. It stays visible, with the reason. */
import { useId } from 'react'
import type { ReactNode } from 'react'
import { mayActAs } from '../../../core/user-role.ts'
import type { UserRole } from '../../../core/user-role.ts'
import { useMe } from '../session/use-session.ts'

interface ActionButtonProps {
  /** The lowest role that may use it. The server checks it, too. */
  readonly needs: UserRole
  readonly isPrimary?: boolean
  readonly onClick: () => void
  readonly children: ReactNode
}

export function ActionButton({ needs, isPrimary = false, onClick, children }: ActionButtonProps) {
  const may = useMay(needs)
  const reasonId = useId()
  const reason = `Requires the role ${needs} or higher.`
  return (
    <button
      type="button"
      className={isPrimary ? 'primary' : 'small'}
      aria-disabled={!may}
      aria-describedby={may ? undefined : reasonId}
      title={may ? undefined : reason}
      onClick={may ? onClick : undefined}
    >
      {children}
      {!may && (
        <span id={reasonId} hidden>
          {reason}
        </span>
      )}
    </button>
  )
}

/** Checks whether the user has at least this role in the organization. */
function useMay(needed: UserRole): boolean {
  const { data } = useMe()
  return data !== undefined && mayActAs(data.role, needed)
}
