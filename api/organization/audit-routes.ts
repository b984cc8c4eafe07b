/** The route that lists audit log entries. */
import { isUuid } from '../../core/ids/ids.ts'
import { exampleOf, objectOf, optional, orNull, schemaFor, text } from '../../http/schema.ts'
import type { Static } from '../../http/schema.ts'
import { admin } from '../../http/typed-route.ts'
import { and, query, sql } from '../../platform/postgres/sql.ts'
import { pageOf, pageQuery, sortKey, textFilter, timePage, timePageOf } from '../page.ts'
import { timeParameters } from '../page.ts'
import type { TimePage } from '../page.ts'
import { time, timeOrNull, uuid } from '../response-schemas.ts'
import { routesOf } from '../services.ts'
import type { OrganizationStore } from '../store.ts'
import { defaultRangeDays } from '../time-range.ts'

export const auditEntry = objectOf({
  entry_id: uuid,
  created_at: time,
  actor: objectOf({
    kind: text({ description: '`user`, `api_key` or `system`.', example: 'user' }),
    id: orNull(text({ example: exampleOf(uuid) })),
    email: orNull(
      text({ description: 'The email of the user, if still a member.', example: 'ada@example.com' })
    )
  }),
  action: text({
    description: 'The action, such as `api_key.created`.',
    example: 'api_key.created'
  }),
  target: orNull(
    objectOf({ kind: text({ example: 'api_key' }), id: text({ example: '4fKc92LmQx7Z' }) })
  ),
  details: schemaFor<unknown>({
    type: ['object', 'null'],
    description: 'Further details; never a secret.',
    example: { name: 'support agents', scopes: ['ingest'] }
  }),
  address: orNull(text({ description: 'The IP address of the request.', example: '203.0.113.7' })),
  request_id: orNull(text({ example: exampleOf(uuid) }))
})

const page = pageOf(auditEntry)

export const auditRoutes = [
  routesOf('organization')({
    method: 'get',
    path: '/v1/auth/audit',
    who: admin,
    id: 'listAuditEntries',
    summary: 'List audit log entries',
    description:
      'Requires the role admin or higher. Returns entries newest first; without `from`, only ' +
      `entries of the last ${defaultRangeDays} days. An entry is written in the same ` +
      'transaction as its change. Entries are never changed or deleted.',
    query: {
      action: optional(
        textFilter(
          'Only this action, or all actions that begin with this word, such as `api_key`.',
          100
        )
      ),
      actor: optional(textFilter('Only actions of this user or API key, by id.', 100)),
      ...timeParameters('Recorded'),
      ...pageQuery('entries')
    },
    answers: {
      200: {
        description: 'A page of entries.',
        schema: objectOf({
          data: page.properties.data,
          meta: objectOf({
            ...page.properties.meta.properties,
            applied: objectOf({ from: time, to: timeOrNull })
          })
        })
      }
    },
    problems: ['invalid_query'],
    share: 'account calls',
    handle: async ({ principal, query, reply }, { store, clock }) => {
      const { cursor, limit, ...filters } = query
      const page = timePageOf(filters, cursor, clock.now())
      const ours = store.of(principal.organization_id)
      const rows = await readEntries(ours, page, query)
      const { data, meta } = timePage(rows, { limit, filters, id: 'entry_id' })
      const emails = await readEmails(ours, data)
      return reply(200, {
        data: data.map((row) => entryOf(row, emails)),
        meta: { ...meta, applied: page.range }
      })
    }
  })
]

interface EntryRow extends Omit<Static<typeof auditEntry>, 'actor' | 'target' | 'details'> {
  readonly actor_kind: string
  readonly actor_id: string | null
  readonly target_kind: string | null
  readonly target_id: string | null
  readonly details: string | null
}

function readEntries(
  ours: OrganizationStore,
  { range, after }: TimePage,
  { action, actor, limit }: { action?: string; actor?: string; limit: number }
) {
  return query<EntryRow & { readonly sort_key: string }>(
    ours,
    sql`select entry_id, created_at, actor_kind, actor_id, action, target_kind, target_id, details,
               address, request_id, ${sortKey(sql`created_at`)}
          from audit_log
         where ${and([
           sql`organization_id = ${ours.organizationId}`,
           sql`created_at >= ${range.from}`,
           range.to && sql`created_at < ${range.to}`,
           after &&
             sql`(created_at, entry_id) < (${after.sort_key}::timestamptz, ${after.id}::uuid)`,
           action === undefined
             ? null
             : sql`(action = ${action} or starts_with(action, ${`${action}.`}))`,
           actor === undefined ? null : sql`actor_id = ${actor}`
         ])}
         order by created_at desc, entry_id desc
         limit ${limit + 1}`
  )
}

/**
 * Reads the email addresses of actors who are still members. Row-level security hides other users.
 */
async function readEmails(
  ours: OrganizationStore,
  rows: readonly EntryRow[]
): Promise<ReadonlyMap<string | null, string>> {
  const users = rows.filter(({ actor_kind }) => actor_kind === 'user')
  const ids = new Set(users.flatMap(({ actor_id }) => actor_id ?? []).filter(isUuid))
  if (ids.size === 0) return new Map()
  const found = await query<{ user_id: string; email: string }>(
    ours,
    sql`select user_id, email from users where user_id = any(${[...ids]}::uuid[])`
  )
  return new Map(found.map(({ user_id, email }) => [user_id, email]))
}

function entryOf(row: EntryRow, emails: ReadonlyMap<string | null, string>) {
  const { actor_kind, actor_id: id, target_kind, target_id, details, ...shown } = row
  return {
    ...shown,
    actor: { kind: actor_kind, id, email: emails.get(id) ?? null },
    target:
      target_kind === null || target_id === null ? null : { kind: target_kind, id: target_id },
    details: details === null ? null : (JSON.parse(details) as unknown)
  }
}
