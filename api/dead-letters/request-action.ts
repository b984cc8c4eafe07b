/** Requests replays and drops of dead-letter records, and waits for a limited time until storage
 * has carried them out.
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
import type { Action, ActionRow, Refusal } from './action-results.ts'
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

/**
 * Maximum time in milliseconds that a call waits. Storage carries out the remaining requests
 * afterwards.
 */
const waitMs = 15_000
/** Maximum number of records of an organization that wait for storage. */
const pendingMax = 1000

export async function requestAction(
  action: Action,
  call: ActionCall,
  { store, shareReads, poll, clock }: ActionServices
): Promise<ActionResult> {
  const ours = store.of(call.principal.organization_id)
  const { dry_run = false } = call.body
  // Only the selection runs in the share, because a call that waits for storage must not hold a
  // place in it.
  const selection = await shareReads(ours.organizationId, () =>
    select(ours, { action, body: call.body, now: clock.now() })
  )
  const permanent = action === 'replay' ? selection.rows.filter(isPermanent) : []
  const refused = new Map(permanent.map((row) => [row.dead_letter_id, 'would_fail_again' as const]))
  if (dry_run) {
    return resultOf(selection, { action, requested: null, rows: selection.rows, refused })
  }
  const ids = idsOf(selection).filter((id) => !refused.has(id))
  const { requested, left } = await writeRequests(ours, call, { action, ids })
  const read = () => selectByIds(ours, idsOf(selection))
  const rows = await poll(
    read,
    (found) => found.every(({ requested_action }) => requested_action !== action),
    { organizationId: ours.organizationId, waitMs, signal: call.signal }
  ).catch((error: unknown) => {
    // Too many calls are waiting. The requests are recorded, so return their current state instead
    // of an error.
    if (error instanceof Problem && error.code === 'overloaded') return read()
    throw error
  })
  const late = left.map((id) => [id, 'too_many_pending'] as const)
  return resultOf(selection, { action, requested, rows, refused: new Map([...refused, ...late]) })
}

function isPermanent({ reason }: ActionRow): boolean {
  return Object.hasOwn(permanentReasons, reason)
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
 * Records the requests, with an audit log entry for each. Skips records that are not open or that
 * already have a request. Skips the last records if the organization would otherwise have more
 * than `pendingMax` records with a request.
 * @returns `requested`, the ids of the requested records, and `left`, the ids that were skipped
 * because of `pendingMax`
 */
function writeRequests(
  ours: OrganizationStore,
  call: ActionCall,
  { action, ids }: { readonly action: Action; readonly ids: readonly string[] }
): Promise<{ readonly requested: ReadonlySet<string>; readonly left: readonly string[] }> {
  const origin = auditOriginOf(call)
  const name = action === 'replay' ? 'dead_letter.replayed' : 'dead_letter.dropped'
  return ours.change(async (transaction) => {
    // Locks the rows in a fixed order, so that concurrent requests for the same records do not
    // deadlock.
    await query(
      transaction,
      sql`select from dead_letters
           where organization_id = ${ours.organizationId}
             and dead_letter_id = any(${ids}::uuid[])
           order by dead_letter_id
             for no key update`
    )
    const [pending] = await query<{ found: number }>(
      transaction,
      sql`select count(*)::integer as found
            from dead_letters
           where organization_id = ${ours.organizationId}
             and requested_action is not null`
    )
    const allowed = ids.slice(0, Math.max(0, pendingMax - (pending?.found ?? 0)))
    const rows = await query<Pick<ActionRow, 'dead_letter_id'> & { readonly decision_id: string }>(
      transaction,
      sql`update dead_letters
             set requested_action = ${action}, requested_at = now(),
                 requested_by = ${origin.userId}, failure = null
           where organization_id = ${ours.organizationId}
             and dead_letter_id = any(${allowed}::uuid[])
             and state = 'open'
             and requested_action is null
          returning dead_letter_id, decision_id`
    )
    for (const { dead_letter_id: id, decision_id } of rows) {
      await recordAudit(transaction, origin, { action: name, id, details: { decision_id } })
    }
    const requested = new Set(rows.map(({ dead_letter_id }) => dead_letter_id))
    return { requested, left: ids.slice(allowed.length) }
  })
}

interface Outcome {
  readonly action: Action
  /** The records that this call requested; null in a dry run. */
  readonly requested: ReadonlySet<string> | null
  readonly rows: readonly ActionRow[]
  readonly refused: ReadonlyMap<string, Refusal>
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
