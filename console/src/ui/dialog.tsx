/** Modal dialogs. The browser keeps the focus inside and returns it to the opener. */
import { useId, useLayoutEffect, useRef, useState } from 'react'
import type { ReactNode } from 'react'
import { Form } from './form.tsx'

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

interface ConfirmDialogProps {
  readonly title: string
  /** The name of the action, on the button. */
  readonly action: string
  /** What the user must type to confirm. Default: nothing. */
  readonly typed?: string
  readonly onConfirm: () => Promise<unknown>
  readonly onClose: () => void
  /** What the action does. */
  readonly children: ReactNode
}

/** Asks before an action that cannot be undone. It closes after the action. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, action, typed = '', onConfirm, onClose, children } = props
  const [text, setText] = useState('')
  return (
    <Dialog {...{ title, onClose }}>
      {children}
      <Form
        {...{ action }}
        isDisabled={text !== typed}
        onSubmit={onConfirm}
        onDone={onClose}
        onCancel={onClose}
      >
        {typed !== '' && (
          <label>
            Type {typed} to confirm
            <input
              value={text}
              autoComplete="off"
              onChange={(event) => setText(event.target.value)}
            />
          </label>
        )}
      </Form>
    </Dialog>
  )
}
