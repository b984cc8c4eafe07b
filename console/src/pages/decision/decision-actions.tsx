/** Actions on a decision: copy, download, compare, give feedback, delete. */
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { readJson } from '../../api/api.ts'
import { curlOfDecision } from '../../decision/curl.ts'
import type { DecisionParts } from '../../decision/decision-text.ts'
import { saveFile } from '../../text/save-file.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field, Form } from '../../ui/form.tsx'
import type { FormValues } from '../../ui/form.tsx'

interface DecisionActionsProps {
  readonly id: string
  readonly decision: DecisionParts
}

export function DecisionActions({ id, decision }: DecisionActionsProps) {
  const [open, setOpen] = useState<'feedback' | 'deletion' | null>(null)
  const onClose = (): void => setOpen(null)
  const save = (): void => saveFile(new Blob([decision.text]), `decision-${id}.json`)
  return (
    <div className="actions">
      <code>{id}</code>
      <CopyButton text={id} label="Copy id" />
      <CopyButton text={`${location.origin}/console/decisions/${id}`} label="Copy link" />
      <CopyButton text={() => curlOfDecision(decision, location.origin)} label="Copy as curl" />
      <button type="button" className="small" onClick={save}>
        Download JSON
      </button>
      <Link href={`/compare?a=${id}`}>Compare</Link>
      <ActionButton needs="member" onClick={() => setOpen('feedback')}>
        Give feedback
      </ActionButton>
      <ActionButton needs="admin" onClick={() => setOpen('deletion')}>
        Delete
      </ActionButton>
      {open === 'feedback' && <Feedback {...{ id, onClose }} />}
      {open === 'deletion' && <Deletion {...{ id, onClose }} />}
    </div>
  )
}

interface OverlayProps {
  readonly id: string
  readonly onClose: () => void
}

/** Stores a score of the user, which the evaluation shows next to those of the evaluators. */
function Feedback({ id, onClose }: OverlayProps) {
  const queries = useQueryClient()
  const send = async (values: FormValues): Promise<void> => {
    const reason = values.textOrNull('reason')
    const body = { passed: values.text('passed') === 'pass', ...(reason !== null && { reason }) }
    await readJson({ path: `/v1/decisions/${id}/feedback`, body })
    await queries.invalidateQueries({ queryKey: ['evaluation', id] })
  }
  return (
    <Dialog title="Give feedback" onClose={onClose}>
      <Form action="Give feedback" onSubmit={send} onDone={onClose} onCancel={onClose}>
        <Field
          label="Verdict"
          name="passed"
          control={(props) => (
            <select {...props}>
              <option>pass</option>
              <option>fail</option>
            </select>
          )}
        />
        <Field label="Reason" name="reason" maxLength={4000} />
      </Form>
    </Dialog>
  )
}

function Deletion({ id, onClose }: OverlayProps) {
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const [typed, setTyped] = useState('')
  const word = id.slice(-6)
  const remove = async (values: FormValues): Promise<void> => {
    const reason = encodeURIComponent(values.text('reason'))
    await readJson({ path: `/v1/decisions/${id}?reason=${reason}`, method: 'DELETE' })
    queries.removeQueries({ queryKey: ['decision', id] })
    void queries.invalidateQueries({ queryKey: ['decisions'] })
    navigate('/decisions')
  }
  return (
    <Dialog title="Delete this decision" onClose={onClose}>
      <p>
        The decision, its runs and its scores are deleted and cannot be restored. Kafka keeps the
        data until the retention period of the topics ends. The audit log keeps the reason.
      </p>
      <Form action="Delete" isDisabled={typed !== word} onSubmit={remove} onCancel={onClose}>
        <Field label="Reason" name="reason" maxLength={500} required />
        <Field
          label={`Type ${word} to confirm`}
          name="confirmation"
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
      </Form>
    </Dialog>
  )
}
