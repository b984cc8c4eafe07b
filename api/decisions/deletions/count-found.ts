/** How many stored decisions a deletion would find, up to a bound. */
import type { Clock } from '../../../core/clock.ts'
import type { Row } from '../../../platform/postgres/postgres.ts'
import { textCondition } from '../../../platform/postgres/text-condition.ts'
import { selectStoredAt } from '../../decision-row.ts'
import type { OrganizationStore } from '../../store.ts'
import { timePiecesOf } from '../list/time-pieces.ts'

export interface DeletionTarget {
  readonly scope: 'decision' | 'session' | 'agent'
  readonly subject: string
}

/** A deletion of more says this many. */
export const foundMax = 100_000

export async function countFound(
  store: OrganizationStore,
  { scope, subject }: DeletionTarget,
  clock: Clock
): Promise<number> {
  if (scope === 'decision') return Number((await selectStoredAt(store, subject)) !== null)
  let found = 0
  for (const { from, to } of timePiecesOf({ from: new Date(0), to: null }, clock.now())) {
    const [row] = await store.query<{ found: number } & Row>(
      `select count(*)::integer as found
         from (select
                 from decisions
                where organization_id = $1
                  and ${textCondition(`${scope}_id`, subject, '$2')}
                  and received_at >= $3 and ($4::timestamptz is null or received_at < $4)
                limit ${foundMax - found}) as counted`,
      [store.organizationId, subject, from.toISOString(), to?.toISOString() ?? null]
    )
    found += row?.found ?? 0
    if (found >= foundMax) return foundMax
  }
  return found
}
