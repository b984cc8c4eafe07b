/** The API keys of the organization: what each may do, and what it was used for. */
import { Link } from 'wouter'
import { usePages } from '../../../api/use-api.ts'
import { useOnboarding } from '../../../onboarding/use-onboarding.ts'
import { formatNumber } from '../../../text/format.ts'
import { visible } from '../../../text/visible.ts'
import { PagedTable } from '../../../ui/data-table.tsx'
import type { TableColumn } from '../../../ui/data-table.tsx'
import { ForRole } from '../../../ui/for-role.tsx'
import { Page } from '../../../ui/page.tsx'
import { Pill } from '../../../ui/pill.tsx'
import { Time } from '../../../ui/time.tsx'
import { RejectedTable } from '../../health/rejected-table.tsx'
import { CreateKey, scopeWords } from './create-key.tsx'
import { KeyActions } from './key-actions.tsx'
import type { ApiKey } from './key-actions.tsx'

const pollMs = 2000
const newForMs = 3_600_000
const countOf = (count: number | null): string => (count === null ? '–' : formatNumber(count))
const timeOf = (iso: string | null) => (iso === null ? 'never' : <Time iso={iso} />)

const columns: readonly TableColumn<ApiKey>[] = [
  { name: 'Name', cell: ({ name }) => visible(name) },
  { name: 'Key', cell: ({ prefix }) => <code>{prefix}…</code> },
  { name: 'Scopes', cell: ({ scopes }) => scopes.map((scope) => scopeWords[scope]).join(', ') },
  { name: 'State', cell: ({ state }) => <Pill word={state} /> },
  { name: 'Last used', cell: ({ last_used_at }) => timeOf(last_used_at) },
  { name: 'Accepted, 24 h', cell: (key) => countOf(key.accepted_24h), isNumber: true },
  { name: 'Rejected, 24 h', cell: (key) => countOf(key.rejected_24h), isNumber: true },
  {
    name: 'Expires or revoked',
    cell: ({ revoked_at, expires_at }) => timeOf(revoked_at ?? expires_at)
  },
  { name: 'Actions', cell: (apiKey) => <KeyActions apiKey={apiKey} /> }
]

export function KeysPage() {
  return (
    <Page title="API keys" actions={<CreateKey />}>
      <ForRole needs="admin" what="API keys">
        <Keys />
      </ForRole>
    </Page>
  )
}

function Keys() {
  const list = usePages<ApiKey>('/v1/auth/api-keys', { pollMs })
  const attempts = useOnboarding(true).data?.recent_attempts
  const keyOf = ({ key_id }: ApiKey): string => key_id
  const empty = 'No API key yet. Create one to send decisions.'
  const newest = list.rows.find(({ state }) => state === 'active')
  const refused = attempts?.find(({ key_id }) => key_id === newest?.key_id)
  return (
    <>
      {newest && Date.now() - Date.parse(newest.created_at) < newForMs && (
        <p role="status">
          <strong>{visible(newest.name)}</strong>: {resultOf(newest, refused?.detail)}
        </p>
      )}
      <PagedTable label="API keys" {...{ list, columns, keyOf, empty }} />
      <p>
        <Link href="/welcome">Show the code that sends a first decision</Link>
      </p>
      <RejectedTable />
    </>
  )
}

/** Describes the result of the first request with a key. */
function resultOf({ accepted_24h }: ApiKey, refusal: string | undefined): string {
  if (accepted_24h !== null && accepted_24h > 0) return 'its requests are accepted.'
  return refusal === undefined ? 'waiting for its first request…' : `rejected: ${visible(refusal)}`
}
