/** The button and the dialog that create an API key. */
import { useState } from 'react'
import type { ApiKeyScope } from '../../../../../core/ids/api-key.ts'
import { ActionButton } from '../../../ui/action-button.tsx'
import { Field } from '../../../ui/form.tsx'
import type { FormValues } from '../../../ui/form.tsx'
import { KeyDialog } from './key-dialog.tsx'

export const scopeWords: Readonly<Record<ApiKeyScope, string>> = {
  ingest: 'send decisions',
  'evaluation:read': 'read scores',
  'evaluation:write': 'push scores',
  'feedback:write': 'push feedback of end users',
  'profiles:read': 'read agents',
  admin: 'everything'
}

function requestOf(values: FormValues) {
  const day = values.textOrNull('expires_at')
  const expires_at = day === null ? null : `${day}T00:00:00Z`
  const body = { name: values.text('name'), scopes: values.all('scopes'), expires_at }
  return { path: '/v1/auth/api-keys', body }
}

export function CreateKey() {
  const [isOpen, setOpen] = useState(false)
  const dialog = { requestOf, title: 'Create API key', action: 'Create API key' }
  return (
    <>
      <ActionButton needs="admin" isPrimary onClick={() => setOpen(true)}>
        Create API key
      </ActionButton>
      {isOpen && (
        <KeyDialog {...dialog} onClose={() => setOpen(false)}>
          <Field label="Name" name="name" hint="What the key is for." required autoFocus />
          <Field
            label="Expires (UTC)"
            name="expires_at"
            type="date"
            hint="Leave empty for no expiry."
          />
          <fieldset>
            <legend>Scopes</legend>
            {Object.entries(scopeWords).map(([value, words]) => (
              <label key={value}>
                <input
                  type="checkbox"
                  name="scopes"
                  defaultChecked={value === 'ingest'}
                  {...{ value }}
                />
                {words}
              </label>
            ))}
          </fieldset>
        </KeyDialog>
      )}
    </>
  )
}
