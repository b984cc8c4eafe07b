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
  { name: 'Agent', cell: ({ agent_id }) => visible(agent_id ?? '–') },
  { name: 'Request', cell: ({ request_id }) => <code>{visible(request_id)}</code> }
]

const keyOf = ({ at, request_id }: NonNullable<Attempts>[number]) => `${at} ${request_id}`

/** @param attempts null while they are unknown */
export function RefusedRequests({ attempts }: { readonly attempts: Attempts }) {
  return (
    <section>
      <h2>Refused requests</h2>
      {attempts === null && <p>Redis is unavailable, so they are unknown.</p>}
      {attempts?.length === 0 && <p className="quiet">No recent request was refused.</p>}
      {attempts !== null && attempts.length > 0 && (
        <DataTable label="Refused requests" rows={attempts} {...{ columns, keyOf }} />
      )}
    </section>
  )
}
