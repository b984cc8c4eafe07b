/** GET /v1/auth/audit: who changed what in the organization. */
import type { Clock } from '../../core/clock.ts'
import { writeCursor } from '../../core/cursor.ts'
import type { Filters } from '../../core/cursor.ts'
import { isUuid } from '../../core/ids/ids.ts'
import type { Row } from '../../platform/postgres/postgres.ts'
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import type { OrganizationStore, Store } from '../store.ts'
import { timePageOf } from '../time-page.ts'
import type { TimePage } from '../time-page.ts'

export interface ListAuditDependencies {
  readonly store: Store
  readonly clock: Clock
}

interface AuditQuery {
  readonly action?: string
  readonly actor?: string
  readonly from?: string
  readonly to?: string
  readonly cursor?: string
  readonly limit: number
}

interface EntryRow extends Row {
  readonly entry_id: string
  readonly created_at: Date
  readonly sort_key: string
  readonly actor_kind: string
  readonly actor_id: string | null
  readonly action: string
  readonly target_kind: string | null
  readonly target_id: string | null
  readonly details: string | null
  readonly address: string | null
  readonly request_id: string | null
}

export function createListAudit({ store, clock }: ListAuditDependencies): SessionHandle {
  return async function listAudit({ principal, query }) {
    const { cursor, limit, ...given } = query as unknown as AuditQuery
    const filters: Filters = given
    const page = timePageOf(filters, cursor, clock.now())
    const ours = store.of(principal.organization_id)
    const rows = await selectEntries(ours, { ...given, page, rowsMax: limit + 1 })
    const shown = rows.slice(0, limit)
    const emails = await readEmails(ours, shown)
    const last = rows.length > limit ? shown.at(-1) : undefined
    const position = last && { sort_key: last.sort_key, id: last.entry_id }
    const next_cursor = position === undefined ? null : writeCursor(position, filters)
    const meta = { next_cursor, limit, applied: page.range }
    return jsonReply(200, JSON.stringify({ data: shown.map((row) => entryOf(row, emails)), meta }))
  }
}

interface Wanted extends Pick<AuditQuery, 'action' | 'actor'> {
  readonly page: TimePage
  readonly rowsMax: number
}

function selectEntries(ours: OrganizationStore, wanted: Wanted): Promise<EntryRow[]> {
  const { range, after } = wanted.page
  return ours.query<EntryRow>(
    `select entry_id, created_at, actor_kind, actor_id, action, target_kind, target_id, details,
            address, request_id,
            to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as sort_key
       from audit_log
      where organization_id = $1
        and created_at >= $2 and ($3::timestamptz is null or created_at < $3)
        and ($4::timestamptz is null or (created_at, entry_id) < ($4, $5::uuid))
        and ($6::text is null or action = $6 or starts_with(action, $6 || '.'))
        and ($7::text is null or actor_id = $7)
      order by created_at desc, entry_id desc
      limit ${wanted.rowsMax}`,
    [
      ...[ours.organizationId, range.from, range.to, after?.sort_key ?? null, after?.id ?? null],
      ...[wanted.action ?? null, wanted.actor ?? null]
    ]
  )
}

/** Of the actors who are members; the store shows no others. */
async function readEmails(
  ours: OrganizationStore,
  rows: readonly EntryRow[]
): Promise<ReadonlyMap<string, string>> {
  const users = rows.filter(({ actor_kind }) => actor_kind === 'user')
  const ids = new Set(users.flatMap(({ actor_id }) => actor_id ?? []).filter(isUuid))
  if (ids.size === 0) return new Map()
  const found = await ours.query<{ user_id: string; email: string }>(
    `select user_id, email from users where user_id = any($1::uuid[])`,
    [[...ids]]
  )
  return new Map(found.map(({ user_id, email }) => [user_id, email]))
}

function entryOf(row: EntryRow, emails: ReadonlyMap<string, string>) {
  const { entry_id, created_at, actor_kind, actor_id, action, address, request_id } = row
  const { target_kind: kind, target_id: id, details } = row
  return {
    ...{ entry_id, created_at },
    actor: { kind: actor_kind, id: actor_id, email: emails.get(actor_id ?? '') ?? null },
    ...{ action, target: kind === null ? null : { kind, id } },
    details: details === null ? null : (JSON.parse(details) as unknown),
    ...{ address, request_id }
  }
}
