/** Edits the name of an agent, which is shown instead of its id. */
import { useState } from 'react'
import { useChange } from '../../api/use-api.ts'
import { visible } from '../../text/visible.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Form } from '../../ui/form.tsx'
import { agentPath } from './agent-state.tsx'
import type { AgentPartProps } from './agent-state.tsx'

export function EditName({ id, profile }: AgentPartProps) {
  const [isOpen, setIsOpen] = useState(false)
  const change = useChange()
  const close = (): void => setIsOpen(false)
  const save = (name: string | null): Promise<unknown> =>
    change.mutateAsync({ path: agentPath(id, '', {}), method: 'PATCH', body: { name } })
  return (
    <>
      {profile.name !== null && <code>{visible(id)}</code>}
      <ActionButton needs="member" onClick={() => setIsOpen(true)}>
        Edit name
      </ActionButton>
      {isOpen && (
        <Dialog title="Edit the name" onClose={close}>
          <Form
            action="Save"
            onSubmit={({ textOrNull }) => save(textOrNull('name'))}
            onDone={close}
            onCancel={close}
          >
            <Field label="Name" name="name" defaultValue={profile.name ?? ''} />
          </Form>
        </Dialog>
      )}
    </>
  )
}
