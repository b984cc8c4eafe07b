/** A button that opens a menu. The browser closes the menu on Escape and on a click outside. */
import { useId, useState } from 'react'
import type { ReactNode } from 'react'

interface MenuProps {
  readonly label: string
  readonly children: ReactNode
}

export function Menu({ label, children }: MenuProps) {
  const id = useId()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <button type="button" popoverTarget={id}>
        {label}
      </button>
      <div
        {...{ id, popover: 'auto', role: 'group', className: 'menu' }}
        aria-label={label}
        onToggle={(event) => setIsOpen(event.newState === 'open')}
      >
        {isOpen && children}
      </div>
    </>
  )
}
