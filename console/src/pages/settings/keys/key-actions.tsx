/** The buttons that rotate and revoke an API key. */
import { useState } from 'react'
import type { key } from '../../../../../api/organization/keys/schemas.ts'
import type { WireOf } from '../../../api/wire.ts'
import { visible } from '../../../text/visible.ts'
import { ActionButton } from '../../../ui/action-button.tsx'
import type { FormValues } from '../../../ui/form.tsx'
import { RequestButton } from '../../../ui/request-button.tsx'
import { KeyDialog } from './key-dialog.tsx'

export type ApiKey = WireOf<typeof key>

export function KeyActions({ apiKey }: { readonly apiKey: ApiKey }) {
  const { key_id, state, replaced_by } = apiKey
  const name = visible(apiKey.name)
  const [isOpen, setOpen] = useState(false)
  const isAlive = state === 'active' || state === 'expiring'
  const path = `/v1/auth/api-keys/${key_id}`
  const rotation = (values: FormValues) => ({
    path: `${path}/rotate`,
    body: { grace_seconds: values.numberOrNull('grace_seconds') }
  })
  const revocation = () => ({ path: `${path}/revoke`, method: 'POST' as const })
  const dialog = { title: `Rotate ${name}`, action: 'Rotate', requestOf: rotation }
  return (
    <span className="row-actions">
      {isAlive && replaced_by === null && (
        <ActionButton needs="admin" onClick={() => setOpen(true)} children="Rotate" />
      )}
      {isAlive && (
        <RequestButton label="Revoke" needs="admin" request={revocation}>
          <p>All gateways reject {name} within 5 seconds. This cannot be undone.</p>
        </RequestButton>
      )}
      {isOpen && (
        <KeyDialog {...dialog} onClose={() => setOpen(false)}>
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
    </span>
  )
}
