/** Modal dialogs. The browser keeps the focus inside and returns it to the opener. */
import { useId, useLayoutEffect, useRef } from 'react'
import type { ReactNode } from 'react'

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  /** Whether Escape closes it. Default: true. */
  readonly canEscape?: boolean
  readonly children: ReactNode
}

export function Dialog({ title, onClose, canEscape = true, children }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const titleId = useId()
  useLayoutEffect(() => {
    const element = dialog.current
    element?.showModal()
    // An element that is removed while it is open does not return the focus.
    return () => element?.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      className="modal"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault()
        if (canEscape) onClose()
      }}
      onClose={() => {
        // Browsers do not let a page cancel the second Escape.
        if (dialog.current?.open !== false) return
        if (canEscape) onClose()
        else dialog.current.showModal()
      }}
    >
      <h2 id={titleId}>{title}</h2>
      {children}
    </dialog>
  )
}
