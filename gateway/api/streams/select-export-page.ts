/** Which decisions come next in an export: newest first, by the keys of the list. */
import type { Clock } from '../../../core/clock.ts'
import type { CursorPosition } from '../../../core/cursor.ts'
import { walkDecisions } from '../decisions/walk-decisions.ts'
import type { OrganizationStore } from '../store.ts'
import type { TimeRange } from '../time-range.ts'
import type { Identity } from './select-summaries.ts'

export interface ExportQuery {
  readonly range: TimeRange
  readonly filters: Readonly<Record<'agent_id' | 'session_id' | 'domain', string | undefined>>
  readonly after: CursorPosition | null
  readonly rowsMax: number
  readonly clock: Clock
}

export interface ExportPage {
  readonly keys: readonly Identity[]
  /** Where the next page begins; null when there is none. */
  readonly next: CursorPosition | null
}

export async function selectExportPage(
  store: OrganizationStore,
  { range, filters, after, rowsMax, clock }: ExportQuery
): Promise<ExportPage> {
  const { agent_id, session_id, domain } = filters
  const walk = {
    ...{ range, after, rowsMax, order: { kind: 'time', descending: true } as const },
    filters: {
      ...(agent_id === undefined ? {} : { agent_id }),
      ...(session_id === undefined ? {} : { session_id }),
      ...(domain === undefined ? {} : { domain: [domain] })
    }
  }
  const { keys, endsAt } = await walkDecisions(store, walk, clock)
  const last = keys.length === rowsMax ? keys.at(-1) : undefined
  const next = last === undefined ? endsAt : { sort_key: last.sort_key, id: last.decision_id }
  const identities = keys.map(({ decision_id, sort_key }) => {
    return { decision_id, received_at: new Date(sort_key) }
  })
  return { keys: identities, next }
}
