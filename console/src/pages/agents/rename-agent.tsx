/** Changes the name of an agent, which is shown instead of its id. */
import { visible } from '../../text/visible.ts'
import { Field } from '../../ui/form.tsx'
import type { FormValues } from '../../ui/form.tsx'
import { RequestButton } from '../../ui/request-button.tsx'
import { agentPath } from './agent-state.tsx'
import type { AgentPartProps } from './agent-state.tsx'

export function RenameAgent({ id, profile: { name } }: AgentPartProps) {
  const request = ({ textOrNull }: FormValues) => {
    const body = { name: textOrNull('name') }
    return { path: agentPath(id, '', {}), method: 'PATCH' as const, body }
  }
  return (
    <>
      {name !== null && <code>{visible(id)}</code>}
      <RequestButton label="Rename" needs="member" request={request}>
        <Field label="Name" name="name" autoFocus defaultValue={name ?? ''} />
      </RequestButton>
    </>
  )
}
