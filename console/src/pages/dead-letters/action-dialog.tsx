/** Replays or drops dead-letter records: a dry run first, then the result of each record. */
import { useEffect, useState } from 'react'
import type { actionRequest, actionResult } from '../../../../api/dead-letters/schemas.ts'
import type { Static } from '../../../../http/schema.ts'
import { useChange } from '../../api/use-api.ts'
import type { WireOf } from '../../api/wire.ts'
import { visible } from '../../text/visible.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Form } from '../../ui/form.tsx'
import { Loading } from '../../ui/loading.tsx'
import { Pill } from '../../ui/pill.tsx'
import { ProblemBox } from '../../ui/problem-box.tsx'

export type RecordAction = 'replay' | 'drop'
export type RecordRequest = Static<typeof actionRequest>
type Result = WireOf<typeof actionResult>

interface ActionDialogProps {
  readonly action: RecordAction
  readonly request: RecordRequest
  readonly onClose: () => void
}

const effects = {
  replay: 'Each message is written back to its topic and processed again. It can fail again.',
  drop: 'Each record is marked as no longer needed, and can never be replayed.'
} as const

export function ActionDialog({ action, request, onClose }: ActionDialogProps) {
  const path = `/v1/dead-letters/${action}`
  const trial = useChange<Result>()
  const change = useChange<Result>()
  const [body] = useState(request)
  const { mutate } = trial
  useEffect(() => mutate({ path, body: { ...body, dry_run: true } }), [mutate, path, body])
  return (
    <Dialog title={action === 'replay' ? 'Replay records' : 'Drop records'} onClose={onClose}>
      {trial.isPending && <Loading label="Finding the records…" />}
      {trial.error !== null && <ProblemBox error={trial.error} />}
      {change.data === undefined && trial.data !== undefined && (
        <Confirm
          {...{ action, onClose }}
          found={trial.data}
          // The records of the dry run, even if others match by now.
          onConfirm={(ids) => change.mutateAsync({ path, body: { dead_letter_ids: ids } })}
        />
      )}
      {change.data !== undefined && <Results result={change.data} onClose={onClose} />}
    </Dialog>
  )
}

interface ConfirmProps {
  readonly action: RecordAction
  /** The result of the dry run. */
  readonly found: Result
  readonly onConfirm: (ids: readonly string[]) => Promise<unknown>
  readonly onClose: () => void
}

function Confirm({ action, found, onConfirm, onClose }: ConfirmProps) {
  const [typed, setTyped] = useState('')
  const selected = found.results.filter(({ outcome }) => outcome === 'selected')
  const others = found.results.filter(({ outcome }) => outcome !== 'selected')
  const ids = selected.map(({ dead_letter_id }) => dead_letter_id)
  const count = ids.length
  if (count === 0) {
    return (
      <>
        <p>None of these records can be changed.</p>
        <ResultTable label="Skipped records" results={others} />
        <button type="button" onClick={onClose}>
          Close
        </button>
      </>
    )
  }
  return (
    <>
      <p>
        {count} {count === 1 ? 'record' : 'records'} will be affected.
        {found.left > 0 && ` ${found.left} more match: repeat the action for them.`}{' '}
        {effects[action]}
      </p>
      <ResultTable label="Skipped records" results={others} />
      <Form
        action={`${action === 'replay' ? 'Replay' : 'Drop'} ${count}`}
        isDisabled={typed !== String(count)}
        onSubmit={() => onConfirm(ids)}
        onCancel={onClose}
      >
        <label>
          Type {count} to confirm
          <input
            value={typed}
            autoComplete="off"
            onChange={({ target }) => setTyped(target.value)}
          />
        </label>
      </Form>
    </>
  )
}

interface ResultsProps {
  readonly result: Result
  readonly onClose: () => void
}

function Results({ result: { succeeded, unfinished, left, results }, onClose }: ResultsProps) {
  return (
    <>
      <p className={unfinished > 0 ? 'problem' : 'quiet'} role="status">
        {succeeded} of {results.length} succeeded.
        {unfinished > 0 && ` ${unfinished} did not: see the reasons below.`}
        {left > 0 && ` ${left} more match the filter.`}
      </p>
      <ResultTable label="Results" results={results} />
      <p className="actions">
        <button type="button" className="primary" onClick={onClose}>
          Close
        </button>
      </p>
    </>
  )
}

const sentences = new Map([
  ['would_fail_again', 'It would fail again, so it can only be dropped.'],
  ['in_progress', 'Another request is handling it.'],
  ['too_many_pending', 'Too many records wait for storage. Repeat the action later.'],
  ['kafka_unavailable', 'Kafka is unavailable. Repeat the action later.'],
  ['write_rejected', 'Kafka rejected the message.'],
  ['record_deleted', 'The record no longer exists.']
])

function explain(reason: string | null): string {
  if (reason === null) return '–'
  return sentences.get(reason) ?? visible(reason)
}

interface ResultTableProps {
  readonly label: string
  readonly results: Result['results']
}

function ResultTable({ label, results }: ResultTableProps) {
  if (results.length === 0) return null
  return (
    <DataTable
      label={label}
      rows={results}
      keyOf={({ dead_letter_id }) => dead_letter_id}
      columns={[
        { name: 'Record', cell: ({ dead_letter_id }) => <code>{dead_letter_id}</code> },
        { name: 'Outcome', cell: ({ outcome }) => <Pill word={outcome} /> },
        { name: 'Reason', cell: ({ reason }) => explain(reason) }
      ]}
    />
  )
}
