/** Creates or rotates an API key, and shows its secret until the dialog closes. */
import { useState } from 'react'
import type { ReactNode } from 'react'
import type { keyWithSecret } from '../../../../../api/organization/keys/schemas.ts'
import type { ApiRequest } from '../../../api/api.ts'
import { useChange } from '../../../api/use-api.ts'
import type { WireOf } from '../../../api/wire.ts'
import { Snippets } from '../../../onboarding/snippets.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Form } from '../../../ui/form.tsx'
import type { FormValues } from '../../../ui/form.tsx'

interface KeyDialogProps {
  readonly title: string
  readonly action: string
  readonly requestOf: (values: FormValues) => ApiRequest
  readonly onClose: () => void
  readonly children: ReactNode
}

export function KeyDialog({ title, action, requestOf, onClose, children }: KeyDialogProps) {
  const { mutateAsync } = useChange<WireOf<typeof keyWithSecret>>()
  const [secret, setSecret] = useState<string | null>(null)
  if (secret !== null) return <KeySecret {...{ secret, onClose }} />
  const make = async (values: FormValues): Promise<void> =>
    setSecret((await mutateAsync(requestOf(values))).key)
  return (
    <Dialog {...{ title, onClose }}>
      <Form {...{ action }} onSubmit={make} onCancel={onClose}>
        {children}
      </Form>
    </Dialog>
  )
}

type KeySecretProps = Pick<KeyDialogProps, 'onClose'> & { readonly secret: string }

function KeySecret({ secret, onClose }: KeySecretProps) {
  const [isStored, setStored] = useState(false)
  return (
    <Dialog title="Store the key now" canEscape={false} onClose={onClose}>
      <p className="notice">
        The key is shown only once. Store it, for example in a password manager or in the settings
        of your agent. If you lose it, create another one.
      </p>
      <pre className="command">{secret}</pre>
      <CopyButton text={secret} label="Copy the key" />
      <p>This code sends a decision with the key:</p>
      <Snippets apiKey={secret} />
      <label className="check">
        <input type="checkbox" onChange={(event) => setStored(event.target.checked)} />I have stored
        it
      </label>
      <button type="button" className="primary" disabled={!isStored} onClick={onClose}>
        Close
      </button>
    </Dialog>
  )
}
