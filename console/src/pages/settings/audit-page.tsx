/** The audit log: who changed what. The filters are in the URL. */
import { Link } from 'wouter'
import type { auditEntry } from '../../../../api/organization/audit-routes.ts'
import { usePages } from '../../api/use-api.ts'
import type { WireOf } from '../../api/wire.ts'
import { PagedTable } from '../../ui/data-table.tsx'
import { FilterBar, useFilters } from '../../ui/filter-bar.tsx'
import { ForRole } from '../../ui/for-role.tsx'
import { memberColumns } from '../../ui/members.tsx'
import { Page } from '../../ui/page.tsx'
import { ranges } from '../decisions/use-list-state.ts'
import { membersPath } from './members/members-page.tsx'
import type { MemberRow } from './members/members-page.tsx'

type Entry = WireOf<typeof auditEntry>
const kinds =
  'api_key budget connection dead_letter deletion evaluator invite member organization password ' +
  'profile rule session webhook'
const ends = [
  ['', 'until now'],
  ...Object.keys(ranges).map((ago) => [ago, `until ${ago.slice(1)} ago`] as const)
] as const

export function AuditPage() {
  return (
    <Page title="Audit log">
      <ForRole needs="admin" what="Audit log entries">
        <Entries />
      </ForRole>
    </Page>
  )
}

function Entries() {
  const filters = useFilters(['action', 'actor', 'to'])
  const [filter] = filters
  const members = usePages<MemberRow>(`${membersPath}?limit=200`).rows
  const list = usePages<Entry>(`/v1/auth/audit?${new URLSearchParams(filter)}`)
  const choices = {
    action: [['', 'any action'], ...kinds.split(' ').map((kind) => [kind, kind] as const)],
    actor: [['', 'any actor'], ...members.map(({ user_id, email }) => [user_id, email] as const)],
    from: Object.entries(ranges),
    to: ends
  } as const
  const linkTo = (name: string, value: string, text = value) => (
    <Link href={`/settings/audit?${new URLSearchParams({ ...filter, [name]: value })}`}>
      {text}
    </Link>
  )
  const columns = [
    ...memberColumns<Entry>('created_at'),
    { name: 'Action', cell: ({ action }: Entry) => linkTo('action', action) },
    {
      name: 'Actor',
      cell: ({ actor: { kind, id, email } }: Entry) =>
        id === null ? kind : linkTo('actor', id, email ?? `${kind} ${id}`)
    },
    ...memberColumns<Entry>('target', 'details', 'address')
  ]
  const keyOf = ({ entry_id }: Entry): string => entry_id
  return (
    <>
      <FilterBar {...{ filters, choices }} />
      <PagedTable label="Entries" empty="No entry matches." {...{ list, columns, keyOf }} />
    </>
  )
}
