/** GET /v1/decisions/deletions and one of them: what was asked to be erased, and how far it is. */
import { readCursor, writeCursor } from '../../../core/cursor.ts'
import type { CursorPosition } from '../../../core/cursor.ts'
import { Problem } from '../../../core/problem.ts'
import type { Row } from '../../../platform/postgres/postgres.ts'
import { jsonReply } from '../../../http/call.ts'
import type { SessionHandle } from '../../../http/route.ts'
import type { OrganizationStore, Store } from '../../store.ts'
import { invalidQuery } from '../../time-page.ts'
import { deletionViewOf } from './deletion-view.ts'
import type { DeletionRow } from './deletion-view.ts'

type ListedRow = DeletionRow & Row & { readonly sort_key: string }

export function createListDeletions({ store }: { store: Store }): SessionHandle {
  return async function listDeletions(call) {
    const { limit, cursor } = call.query as unknown as { limit: number; cursor?: string }
    const ours = store.of(call.principal.organization_id)
    const rows = await selectDeletions(ours, positionOf(cursor), limit + 1)
    const page = rows.slice(0, limit)
    const last = rows.length > limit ? page.at(-1) : undefined
    const next_cursor =
      last === undefined ? null : writeCursor({ sort_key: last.sort_key, id: last.erasure_id }, {})
    const meta = { next_cursor, limit }
    return jsonReply(200, JSON.stringify({ data: page.map(deletionViewOf), meta }))
  }
}

export function createShowDeletion({ store }: { store: Store }): SessionHandle {
  return async function showDeletion(call) {
    const ours = store.of(call.principal.organization_id)
    const [row] = await ours.query<ListedRow>(
      `select * from erasures where organization_id = $1 and erasure_id = $2`,
      [ours.organizationId, call.params['deletion_id']]
    )
    if (row !== undefined) return jsonReply(200, JSON.stringify(deletionViewOf(row)))
    throw new Problem('deletion_not_found', { detail: 'There is none with this id.' })
  }
}

function positionOf(cursor: string | undefined): CursorPosition | null {
  if (cursor === undefined) return null
  const read = readCursor(cursor, {})
  if (read.kind === 'position') return read.position
  const detail = 'is not a cursor of ours; send `meta.next_cursor` as it came'
  throw invalidQuery([{ pointer: '/cursor', detail }])
}

function selectDeletions(
  store: OrganizationStore,
  after: CursorPosition | null,
  rowsMax: number
): Promise<ListedRow[]> {
  return store.query<ListedRow>(
    `select *,
            to_char(requested_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as sort_key
       from erasures
      where organization_id = $1
        and ($2::timestamptz is null or (requested_at, erasure_id) < ($2, $3::uuid))
      order by requested_at desc, erasure_id desc
      limit ${rowsMax}`,
    [store.organizationId, after?.sort_key ?? null, after?.id ?? null]
  )
}
