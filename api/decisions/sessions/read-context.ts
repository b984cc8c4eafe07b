/** GET /v1/decisions/{decision_id}/context: what came before and after it in its session. */
import type { CursorPosition } from '../../../core/cursor.ts'
import type { Row } from '../../../platform/postgres/postgres.ts'
import { jsonReply } from '../../../http/call.ts'
import type { SessionHandle } from '../../../http/route.ts'
import { receivedAt } from '../../decision-row.ts'
import type { OrganizationStore } from '../../store.ts'
import { decisionNotFound, readWatermark } from '../../watermark.ts'
import type { ListDecisionsDependencies } from '../list/list-decisions.ts'
import { selectDecisionPage } from '../list/decision-page.ts'
import { showDecisions } from '../list/show-decisions.ts'

interface Place extends Row {
  readonly session_id: string | null
  readonly sort_key: string
}

/** Neighbours further away than this are not looked for. */
export const contextDays = 30
const dayMs = 86_400_000

export function createReadContext(dependencies: ListDecisionsDependencies): SessionHandle {
  const { store, readEvaluations, decisionsTopic, clock } = dependencies

  return async function readContext(call) {
    const askedAt = clock.now()
    const ours = store.of(call.principal.organization_id)
    const decision_id = (call.params['decision_id'] ?? '').toLowerCase()
    const { before, after } = call.query as unknown as { before: number; after: number }
    const place = await selectPlace(ours, decision_id)
    if (place === null) {
      throw decisionNotFound(await readWatermark(ours, decisionsTopic), askedAt, clock)
    }
    const { session_id, sort_key } = place

    async function neighbours(descending: boolean, limit: number): Promise<readonly string[]> {
      if (session_id === null || limit === 0) return []
      const from: CursorPosition = { sort_key, id: decision_id }
      const query = {
        ...{ range: rangeAround(sort_key, descending), filters: { session_id } },
        ...({ order: { kind: 'time', descending }, after: from, limit } as const)
      }
      const page = await selectDecisionPage(ours, query, clock)
      const { texts } = await showDecisions(ours, { page, include: [] }, readEvaluations)
      return descending ? texts.toReversed() : texts
    }

    const lists = [await neighbours(true, before), await neighbours(false, after)]
    const [earlier = '', later = ''] = lists.map((texts) => texts.join(','))
    const head = JSON.stringify({ decision_id, session_id }).slice(1, -1)
    return jsonReply(200, `{${head},"before":[${earlier}],"after":[${later}]}`)
  }
}

function rangeAround(sortKey: string, descending: boolean) {
  const at = new Date(sortKey).getTime()
  return descending
    ? { from: new Date(at - contextDays * dayMs), to: new Date(at + 1) }
    : { from: new Date(at), to: new Date(at + contextDays * dayMs) }
}

async function selectPlace(store: OrganizationStore, decisionId: string): Promise<Place | null> {
  const [row] = await store.query<Place>(
    `select d.session_id,
            to_char(d.received_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as sort_key
       from decisions d
      where d.organization_id = $1
        and d.decision_id = $2
        and d.received_at = (${receivedAt})`,
    [store.organizationId, decisionId]
  )
  return row ?? null
}
