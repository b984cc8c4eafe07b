/** Requests replays and drops of dead-letter records, and waits until storage has carried them out.
 */
import type { Clock } from '../../core/clock.ts'
import { Problem } from '../../core/problem.ts'
import { permanentReasons } from '../../core/message-outcome.ts'
import type { FairShare } from '../../http/admission/fair-share.ts'
import { query, sql } from '../../platform/postgres/sql.ts'
import { invalidBody } from '../configuration/problems.ts'
import { auditOriginOf, recordAudit } from '../organization/record-audit.ts'
import type { EditCall } from '../organization/record-audit.ts'
import type { Poll } from '../poll.ts'
import type { OrganizationStore, Store } from '../store.ts'
import { resultsOf } from './action-results.ts'
import type { Action, ActionRow } from './action-results.ts'
import { selectByFilter, selectByIds } from './select-records.ts'
import type { Selection } from './select-records.ts'
import type { ActionRequest, ActionResult } from './schemas.ts'

interface ActionServices {
  readonly store: Store
  readonly shareReads: FairShare
  readonly poll: Poll
  readonly clock: Clock
}

interface ActionCall extends EditCall {
  readonly body: ActionRequest
  readonly signal: AbortSignal
}

/** Maximum time that a call waits. Storage carries out the rest afterwards. */
const waitMs = 15_000

export async function requestAction(
  action: Action,
  call: ActionCall,
  { store, shareReads, poll, clock }: ActionServices
): Promise<ActionResult> {
  const ours = store.of(call.principal.organization_id)
  const { dry_run = false } = call.body
  // Only the selection: a call that waits for storage must not use up the share.
  const selection = await shareReads(ours.organizationId, () =>
    select(ours, { action, body: call.body, now: clock.now() })
  )
  if (dry_run) return resultOf(selection, { action, requested: null, rows: selection.rows })
  const requested = await writeRequests(ours, call, { action, ids: idsOf(selection) })
  const read = () => selectByIds(ours, idsOf(selection))
  const rows = await poll(
    read,
    (found) => found.every(({ requested_action }) => requested_action !== action),
    { organizationId: ours.organizationId, waitMs, signal: call.signal }
  ).catch((error: unknown) => {
    // Too many calls wait. The requests are recorded, so the response says how far they are.
    if (error instanceof Problem && error.code === 'overloaded') return read()
    throw error
  })
  return resultOf(selection, { action, requested, rows })
}

interface SelectOptions {
  readonly action: Action
  readonly body: ActionRequest
  readonly now: number
}

async function select(
  ours: OrganizationStore,
  { action, body, now }: SelectOptions
): Promise<Selection> {
  const { dead_letter_ids, filter } = body
  if (dead_letter_ids !== undefined && filter === undefined) {
    const ids = [...new Set(dead_letter_ids.map((id) => id.toLowerCase()))]
    const rows = await selectByIds(ours, ids)
    const known = new Set(rows.map(({ dead_letter_id }) => dead_letter_id))
    const unknown = ids.filter((id) => !known.has(id))
    return { rows, unknown, matched: rows.length, more_than_matched: false, left: 0 }
  }
  if (filter !== undefined && dead_letter_ids === undefined) {
    const isExcluding = action === 'replay' && filter.reason === undefined
    const excluded = isExcluding ? Object.keys(permanentReasons) : []
    return selectByFilter(ours, { filter, excluded, now })
  }
  const detail = 'must have either `dead_letter_ids` or `filter`'
  throw invalidBody([{ pointer: '', detail }])
}

function idsOf({ rows }: Selection): string[] {
  return rows.map(({ dead_letter_id }) => dead_letter_id)
}

/**
 * Records the requests, with an audit log entry for each. Skips records that are not open or have
 * another request.
 * @returns the ids of the requested records
 */
function writeRequests(
  ours: OrganizationStore,
  call: ActionCall,
  { action, ids }: { readonly action: Action; readonly ids: readonly string[] }
): Promise<ReadonlySet<string>> {
  const origin = auditOriginOf(call)
  const name = action === 'replay' ? 'dead_letter.replayed' : 'dead_letter.dropped'
  return ours.change(async (transaction) => {
    // Locks in one order, so that concurrent requests for the same records do not deadlock.
    await query(
      transaction,
      sql`select from dead_letters
           where organization_id = ${ours.organizationId}
             and dead_letter_id = any(${ids}::uuid[])
           order by dead_letter_id
             for no key update`
    )
    const rows = await query<Pick<ActionRow, 'dead_letter_id'> & { readonly decision_id: string }>(
      transaction,
      sql`update dead_letters
             set requested_action = ${action}, requested_at = now(),
                 requested_by = ${origin.userId}, failure = null
           where organization_id = ${ours.organizationId}
             and dead_letter_id = any(${ids}::uuid[])
             and state = 'open'
             and requested_action is null
          returning dead_letter_id, decision_id`
    )
    for (const { dead_letter_id: id, decision_id } of rows) {
      await recordAudit(transaction, origin, { action: name, id, details: { decision_id } })
    }
    return new Set(rows.map(({ dead_letter_id }) => dead_letter_id))
  })
}

interface Outcome {
  readonly action: Action
  /** The records that this call requested; null in a dry run. */
  readonly requested: ReadonlySet<string> | null
  readonly rows: readonly ActionRow[]
}

function resultOf(selection: Selection, outcome: Outcome): ActionResult {
  const { matched, more_than_matched, left, unknown } = selection
  const results = resultsOf(selection.rows, outcome, unknown)
  const countOf = (...wanted: string[]): number =>
    results.filter((result) => wanted.includes(result.outcome)).length
  return {
    dry_run: outcome.requested === null,
    matched,
    more_than_matched,
    left,
    succeeded: countOf('replayed', 'dropped'),
    unfinished: countOf('pending', 'failed', 'not_found'),
    results
  }
}
