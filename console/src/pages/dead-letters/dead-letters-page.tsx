/** The list of dead-letter records: messages that a consumer group could not process. */
import { useState } from 'react'
import { Link, useSearch } from 'wouter'
import { visible } from '../../text/visible.ts'
import { ActionButton } from '../../ui/action-button.tsx'
import { PagedTable } from '../../ui/data-table.tsx'
import type { TableColumn } from '../../ui/data-table.tsx'
import { Page } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Time } from '../../ui/time.tsx'
import { ActionDialog } from './action-dialog.tsx'
import type { RecordAction, RecordRequest } from './action-dialog.tsx'
import { Filters, useListState } from './filters.tsx'
import type { FilterState } from './filters.tsx'
import { filterOf, useRecords } from './use-records.ts'
import type { DeadLetterRow } from './use-records.ts'

/** Maximum number of records that one request replays or drops. */
const selectedMax = 100
const pollMs = 10_000
export function DeadLettersPage() {
  const [state] = useListState()
  const [selected, setSelected] = useState<readonly string[]>([])
  const [action, setAction] = useState<RecordAction | null>(null)
  const { list, matched } = useRecords(state, pollMs)
  const count = selected.length > 0 ? `${selected.length} selected` : 'all that match'
  return (
    <Page
      title="Dead-letter records"
      actions={
        <>
          <span className="quiet">{matched !== undefined && `${matched} match`}</span>
          {/* Only open records are replayed or dropped, so others are never meant by "all". */}
          {(selected.length > 0 || state.state === 'open') &&
            (['replay', 'drop'] as const).map((kind) => (
              <ActionButton key={kind} needs="admin" onClick={() => setAction(kind)}>
                {kind === 'replay' ? 'Replay' : 'Drop'} {count}…
              </ActionButton>
            ))}
        </>
      }
    >
      <p className="quiet">
        Messages that storage or evaluation could not process. Kafka keeps them until the retention
        time of their topic ends.
      </p>
      <Filters />
      <PagedTable
        label="Dead-letter records"
        list={list}
        keyOf={({ dead_letter_id }) => dead_letter_id}
        empty={<p>No dead-letter record matches.</p>}
        columns={[recordColumn, selectColumn(selected, setSelected), ...columns]}
      />
      {action !== null && (
        <ActionDialog
          action={action}
          request={requestOf(state, selected)}
          onClose={() => {
            setAction(null)
            setSelected([])
          }}
        />
      )}
    </Page>
  )
}

const recordColumn: TableColumn<DeadLetterRow> = {
  name: 'Record',
  cell: (record) => <RecordLink record={record} />
}

const columns: readonly TableColumn<DeadLetterRow>[] = [
  { name: 'State', cell: (record) => <State record={record} /> },
  { name: 'Reason', cell: ({ reason }) => visible(reason) },
  { name: 'Step', cell: ({ step }) => step },
  { name: 'Error', cell: ({ error }) => visible(error) },
  { name: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
  { name: 'Agent', cell: ({ agent_id }) => visible(agent_id ?? '–') },
  { name: 'Origin', cell: ({ origin }) => positionOf(origin) }
]

function selectColumn(
  selected: readonly string[],
  onChange: (selected: readonly string[]) => void
): TableColumn<DeadLetterRow> {
  return {
    name: 'Select',
    cell: ({ dead_letter_id: id }) => (
      <input
        type="checkbox"
        aria-label={`Select ${id}`}
        checked={selected.includes(id)}
        onChange={() => onChange(toggle(selected, id))}
      />
    )
  }
}

function RecordLink({ record }: { readonly record: DeadLetterRow }) {
  const search = useSearch()
  return (
    <Link href={`/dead-letters/${record.dead_letter_id}${search === '' ? '' : `?${search}`}`}>
      <Time iso={record.dead_lettered_at} />
    </Link>
  )
}

export function State({ record }: { readonly record: DeadLetterRow }) {
  const { state, failed_again_as, requested_action, failure } = record
  return (
    <>
      {failed_again_as === null ? (
        <Pill word={state} />
      ) : (
        <Link
          className="pill bad"
          href={`/dead-letters/${failed_again_as}`}
          children="failed again"
        />
      )}
      {requested_action !== null && ` ${requested_action} requested`}
      {failure !== null && ` last attempt: ${visible(failure)}`}
    </>
  )
}

export function positionOf({ topic, partition }: DeadLetterRow['origin']) {
  return <code>{`${topic} partition ${partition}`}</code>
}

function toggle(selected: readonly string[], id: string): readonly string[] {
  if (selected.includes(id)) return selected.filter((each) => each !== id)
  return selected.length < selectedMax ? [...selected, id] : selected
}

function requestOf(state: FilterState, selected: readonly string[]): RecordRequest {
  if (selected.length > 0) return { dead_letter_ids: [...selected] }
  return { filter: { ...filterOf(state), from: '1970-01-01T00:00:00Z' } }
}
