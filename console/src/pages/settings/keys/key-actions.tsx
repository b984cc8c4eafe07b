/** The buttons that rotate and revoke an API key. */
import { useState } from 'react'
import { useChange } from '../../../api/use-api.ts'
import { ActionButton } from '../../../ui/action-button.tsx'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import type { FormValues } from '../../../ui/form.tsx'
import { KeyDialog } from './key-dialog.tsx'
import type { ApiKey } from './keys-page.tsx'

export function KeyActions({ apiKey }: { readonly apiKey: ApiKey }) {
  const { key_id, name, state, replaced_by } = apiKey
  const [open, setOpen] = useState<'rotate' | 'revoke' | null>(null)
  const { mutateAsync } = useChange()
  const isAlive = state === 'active' || state === 'expiring'
  const path = `/v1/auth/api-keys/${key_id}`
  const rotation = (values: FormValues) => ({
    path: `${path}/rotate`,
    body: { grace_seconds: values.numberOrNull('grace_seconds') }
  })
  const revoke = () => mutateAsync({ path: `${path}/revoke`, method: 'POST' })
  const onClose = (): void => setOpen(null)
  return (
    <span className="actions">
      {isAlive && replaced_by === null && (
        <ActionButton needs="admin" onClick={() => setOpen('rotate')} children="Rotate" />
      )}
      {isAlive && (
        <ActionButton needs="admin" onClick={() => setOpen('revoke')} children="Revoke" />
      )}
      {open === 'rotate' && (
        <KeyDialog title={`Rotate ${name}`} action="Rotate" requestOf={rotation} {...{ onClose }}>
          <p>A new key with the same scopes replaces this one.</p>
          <label>
            The old key stops working
            <select name="grace_seconds" defaultValue={86_400}>
              <option value={0}>now</option>
              <option value={3600}>in 1 hour</option>
              <option value={86_400}>in 24 hours</option>
            </select>
          </label>
        </KeyDialog>
      )}
      {open === 'revoke' && (
        <ConfirmDialog title={`Revoke ${name}`} action="Revoke" onConfirm={revoke} {...{ onClose }}>
          <p>Every gateway refuses the key within 5 seconds. This cannot be undone.</p>
        </ConfirmDialog>
      )}
    </span>
  )
}
