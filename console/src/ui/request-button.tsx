/** A button that opens a dialog with a form, which sends a request. */
import { useState } from 'react'
import type { ComponentProps, ReactNode } from 'react'
import { readJson } from '../api/api.ts'
import type { ApiRequest } from '../api/api.ts'
import { useChange } from '../api/use-api.ts'
import { ActionButton } from './action-button.tsx'
import { Dialog } from './dialog.tsx'
import { Form } from './form.tsx'
import type { FormValues } from './form.tsx'
import { Members } from './members.tsx'

interface RequestButtonProps extends Omit<ComponentProps<typeof ActionButton>, 'onClick'> {
  /** The name of the button, of the dialog, and of the action in it. */
  readonly label: string
  /** What the action changes, in the title of the dialog. */
  readonly of?: string | undefined
  readonly request: (values: FormValues) => ApiRequest
  /** The name of a trial, which changes nothing and shows its result. */
  readonly trial?: string
  readonly trialRequest?: (values: FormValues) => ApiRequest
  /** Whether the action needs the result of a trial. */
  readonly isTrialRequired?: boolean
  /** Whether the dialog stays open and shows the result of the action. */
  readonly staysOpen?: boolean
  /** Default: shows the members of the result. */
  readonly show?: (result: object) => ReactNode
}

export function RequestButton(props: RequestButtonProps) {
  const { label, needs, isPrimary = false } = props
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <ActionButton {...{ needs, isPrimary }} onClick={() => setOpen(true)}>
        {label}
      </ActionButton>
      {isOpen && <RequestDialog {...props} onClose={() => setOpen(false)} />}
    </>
  )
}

function RequestDialog(props: RequestButtonProps & { readonly onClose: () => void }) {
  const { label, request, trial, trialRequest = request, onClose, show } = props
  const [result, setResult] = useState<object | null>(null)
  const [isDone, setDone] = useState(false)
  const { mutateAsync } = useChange<object>()
  const test = async (values: FormValues) => setResult(await readJson(trialRequest(values)))
  return (
    <Dialog title={props.of === undefined ? label : `${label} ${props.of}`} onClose={onClose}>
      <Form
        action={label}
        trial={trial === undefined ? undefined : { action: trial, onSubmit: test }}
        isDisabled={props.isTrialRequired === true && result === null}
        onSubmit={async (values) => setResult(await mutateAsync(request(values)))}
        onDone={props.staysOpen === true ? () => setDone(true) : onClose}
        onCancel={onClose}
        cancel={isDone ? 'Close' : 'Cancel'}
      >
        <div className="form" onInput={() => setResult(null)}>
          {props.children}
        </div>
        <div role="status">
          {result !== null && <div ref={scrollTo}>{show?.(result) ?? <Members of={result} />}</div>}
        </div>
      </Form>
    </Dialog>
  )
}

/** A result below the fold would look like none. */
function scrollTo(element: HTMLElement | null): void {
  element?.scrollIntoView()
}
