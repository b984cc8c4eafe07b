/** The latest requests that were refused, with the reason. */
import { visible } from '../text/visible.ts'
import { DataTable } from '../ui/data-table.tsx'
import type { Column } from '../ui/data-table.tsx'
import { Time } from '../ui/time.tsx'
import type { Onboarding } from './use-onboarding.ts'

type Attempts = Onboarding['recent_attempts']

const columns: readonly Column<NonNullable<Attempts>[number]>[] = [
  { name: 'Time', cell: ({ at }) => <Time iso={at} /> },
  { name: 'Key', cell: ({ key_id }) => <code>{key_id}</code> },
  { name: 'Response', cell: ({ status, code }) => <code>{`${status} ${code}`}</code> },
  { name: 'Reason', cell: ({ detail }) => visible(detail) },
  { name: 'Request', cell: ({ request_id }) => <code>{visible(request_id)}</code> }
]

/** @param attempts null while they are unknown */
export function RefusedRequests({ attempts }: { readonly attempts: Attempts }) {
  const rows = attempts ?? []
  const empty = attempts === null ? 'They are unknown at the moment.' : 'None was refused recently.'
  const table = { label: 'Refused requests', columns, rows, keyOf: JSON.stringify }
  return (
    <section>
      <h2>{table.label}</h2>
      {rows.length === 0 ? <p className="quiet">{empty}</p> : <DataTable {...table} />}
    </section>
  )
}
