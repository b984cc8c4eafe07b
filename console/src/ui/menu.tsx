/** A button that opens a menu. The browser closes the menu on Escape and on a click outside. */
import { useId } from 'react'
import type { ReactNode } from 'react'

interface MenuProps {
  readonly label: string
  readonly children: ReactNode
}

export function Menu({ label, children }: MenuProps) {
  const id = useId()
  return (
    <>
      <button type="button" popoverTarget={id}>
        {label}
      </button>
      <div id={id} popover="auto" className="menu" role="group" aria-label={label}>
        {children}
      </div>
    </>
  )
}
