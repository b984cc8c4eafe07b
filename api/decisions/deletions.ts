/** Routes for deletions of decisions. Storage erases the data, and does not store it again if it is
 * resent.
 */
import type { Clock } from '../../core/clock.ts'
import { isUuid, uuidPattern } from '../../core/ids/ids.ts'
import { Problem } from '../../core/problem.ts'
import { closed, integer, objectOf, oneOf, optional, orNull } from '../../http/schema.ts'
import { schemaFor, text, timeWith, withExample } from '../../http/schema.ts'
import type { Static } from '../../http/schema.ts'
import { admin } from '../../http/typed-route.ts'
import { and, query, raw, sql } from '../../platform/postgres/sql.ts'
import type { Sql } from '../../platform/postgres/sql.ts'
import { textEquals } from '../../platform/postgres/text-condition.ts'
import { retryWhileLocked, writeErasure } from '../../store/erasure/erasure-table.ts'
import { count, decisionIdParameter, plainText, time, uuid } from '../response-schemas.ts'
import { invalidBody, requireFound } from '../configuration/problems.ts'
import type { EditCall } from '../organization/record-audit.ts'
import { auditOriginOf, recordAudit } from '../organization/record-audit.ts'
import { pageOf, pageQuery, positionOf, sortKey, textFilter, timePage } from '../page.ts'
import { routesOf } from '../services.ts'
import type { OrganizationStore, Store } from '../store.ts'
import { notStored } from '../watermark.ts'
import { selectStoredAt } from './queries.ts'
import { timePiecesOf } from './walk-decisions.ts'

/** Maximum number of decisions that are counted before a deletion. */
const deletableMax = 100_000

const scopes = ['decision', 'session', 'agent'] as const

function reasonText(description: string) {
  return text({ minLength: 1, maxLength: 500, pattern: plainText, description })
}

const kept = 'Why the data is deleted; kept in the audit log.'

const exampleTarget = { scope: 'session', subject: 'ticket-8812' } as const

const deletionRequest = withExample(
  closed({
    scope: oneOf(scopes),
    subject: textFilter('The id of the decision, session or agent.', 1000),
    reason: optional(reasonText(`${kept} Required with \`confirm\`.`)),
    dry_run: optional(
      schemaFor<true>({ const: true, description: 'Only counts the decisions; deletes nothing.' })
    ),
    confirm: optional(
      integer({
        minimum: 0,
        maximum: deletableMax,
        description:
          `The \`decisions_found\` of a dry run, at most ${deletableMax}. The request fails with ` +
          '`count_differs` if the number has changed.'
      })
    )
  }),
  { ...exampleTarget, reason: 'asked by the customer', confirm: 12 }
)
export type DeletionRequest = Static<typeof deletionRequest>

const deletionMembers = {
  deletion_id: withExample(uuid, '01938c4e-6b7a-7c3e-9f00-2f6d1c1b8a55'),
  scope: withExample(oneOf([...scopes, 'organization']), exampleTarget.scope),
  subject: orNull(
    text({
      description: 'The id of the decision, session or agent; null if the scope is `organization`.',
      example: exampleTarget.subject
    })
  ),
  state: oneOf(['running', 'finished']),
  requested_at: time,
  requested_by: text({
    description: 'The id of the user, or the name that an operator gave.',
    example: '01938c4e-1111-7000-8000-5b7a9f002f6d'
  }),
  reason: orNull(text({ example: 'asked by the customer' })),
  received_until: timeWith({
    description:
      'Decisions received up to this time are deleted, including decisions that storage has ' +
      'not stored yet.'
  }),
  finished_at: orNull(time, { example: null }),
  decisions: integer({ minimum: 0, description: 'Decisions deleted so far.', example: 0 }),
  evaluation_runs: withExample(count, 0),
  scores: withExample(count, 0)
}

const deletion = objectOf(deletionMembers)
type Deletion = Static<typeof deletion>

const decisions_found = integer({
  minimum: 0,
  description: `Stored decisions that match, counted up to ${deletableMax}.`,
  example: 12
})

const begunDeletion = objectOf({ ...deletionMembers, decisions_found })

const dryRun = objectOf({
  scope: withExample(oneOf(scopes), exampleTarget.scope),
  subject: text({ example: exampleTarget.subject }),
  decisions_found,
  counted_up_to: withExample(count, deletableMax)
})

const path = '/v1/decisions/deletions'
const route = routesOf('decisions')

const forGood =
  'Deleted decisions cannot be restored; their runs and scores are also deleted. If a ' +
  'deleted decision is sent again, it is not stored. Kafka keeps the data until the ' +
  'retention of the topics expires.'

const accepted = {
  202: {
    description: 'The deletion was recorded and runs in the background.',
    schema: begunDeletion
  }
}

export const deletionRoutes = [
  route({
    method: 'get',
    path,
    who: admin,
    id: 'listDeletions',
    summary: 'List deletions',
    description:
      'Returns all deletions of your organization, newest first: who requested each, why, and ' +
      'its progress.',
    query: pageQuery('entries'),
    answers: { 200: { description: 'A page of deletions.', schema: pageOf(deletion) } },
    problems: ['invalid_query'],
    handle: async ({ principal, query: { limit, cursor }, reply }, { store }) => {
      const ours = store.of(principal.organization_id)
      const after = positionOf(cursor, {})
      const isAfter =
        after &&
        sql`(requested_at, erasure_id) < (${after.sort_key}::timestamptz, ${after.id}::uuid)`
      const rows = await query<Deletion & { readonly sort_key: string }>(
        ours,
        sql`select *, ${sortKey(sql`requested_at`)}
              from (${selectDeletions(ours.organizationId, isAfter)}) as deletions
             order by requested_at desc, deletion_id desc
             limit ${limit + 1}`
      )
      return reply(200, timePage(rows, { limit, filters: {}, id: 'deletion_id' }))
    }
  }),
  route({
    method: 'post',
    path,
    who: admin,
    id: 'requestDeletion',
    summary: 'Create a deletion',
    description:
      'Deletes a decision, a session, or all decisions of an agent. First send `dry_run` to ' +
      'count the decisions, then send that number as `confirm`. ' +
      forGood,
    body: deletionRequest,
    answers: {
      200: { description: 'The result of a dry run.', schema: dryRun },
      ...accepted
    },
    problems: ['count_differs'],
    share: 'expensive reads',
    handle: async (call, { store, clock }) => {
      const { target, reason, confirm } = readDeletionRequest(call.body)
      const found = await countDeletable(store.of(call.principal.organization_id), target, clock)
      if (confirm === null) {
        return call.reply(200, { ...target, decisions_found: found, counted_up_to: deletableMax })
      }
      if (confirm !== found) throw countDiffers(confirm, found)
      return call.reply(202, await begin(store, call, { target, reason, found }))
    }
  }),
  route({
    method: 'get',
    path: `${path}/:deletion_id`,
    who: admin,
    id: 'showDeletion',
    summary: 'Get a deletion',
    description: 'Returns a deletion and its progress.',
    params: {
      deletion_id: text({
        pattern: uuidPattern,
        description: 'The `deletion_id` of the response that created the deletion.'
      })
    },
    answers: { 200: { description: 'The deletion.', schema: deletion } },
    problems: ['deletion_not_found'],
    handle: async ({ principal, params: { deletion_id }, reply }, { store }) => {
      const ours = store.of(principal.organization_id)
      const isOne = sql`erasure_id = ${deletion_id}`
      const [found] = await query<Deletion>(ours, selectDeletions(ours.organizationId, isOne))
      return reply(200, requireFound('deletion', found, deletion_id))
    }
  }),
  route({
    method: 'delete',
    path: '/v1/decisions/:decision_id',
    who: admin,
    id: 'deleteDecision',
    summary: 'Delete a decision',
    description: `Deletes one stored decision. ${forGood}`,
    params: decisionIdParameter,
    query: { reason: optional(reasonText(kept)) },
    answers: accepted,
    problems: ['decision_not_found', 'invalid_query'],
    handle: async (call, services) => {
      const requestedAt = services.clock.now()
      const db = services.store.of(call.principal.organization_id)
      const subject = call.params.decision_id.toLowerCase()
      if ((await selectStoredAt(db, subject)) === null) {
        throw await notStored(services, db, requestedAt)
      }
      const { reason = null } = call.query
      const target = { scope: 'decision', subject } as const
      return call.reply(202, await begin(services.store, call, { target, reason, found: 1 }))
    }
  })
]

function selectDeletions(organizationId: string, condition: Sql | null): Sql {
  return sql`select erasure_id as deletion_id, scope, subject,
                    case when finished_at is null then 'running' else 'finished' end as state,
                    requested_at, requested_by, reason, received_until, finished_at, decisions,
                    evaluation_runs, scores
               from erasures
              where ${and([sql`organization_id = ${organizationId}`, condition])}`
}

type DeletionTarget = Pick<DeletionRequest, 'scope' | 'subject'>

/** @throws {Problem} 422 for an invalid request */
export function readDeletionRequest(body: DeletionRequest) {
  const { scope, subject, reason = null, dry_run, confirm = null } = body
  if (scope === 'decision' && !isUuid(subject)) throw invalid('/subject', 'must be a UUID')
  if ((dry_run === undefined) === (confirm === null)) {
    throw invalid('/confirm', 'exactly one of confirm and dry_run is required')
  }
  if (confirm !== null && reason === null) throw invalid('/reason', 'is required')
  const target = { scope, subject: scope === 'decision' ? subject.toLowerCase() : subject }
  return { target, reason, confirm }
}

function invalid(pointer: string, detail: string): Problem {
  return invalidBody([{ pointer, detail }])
}

function countDiffers(confirm: number, found: number): Problem {
  const detail = `${found} decisions match now, not ${confirm}. Send the new number as \`confirm\`.`
  return new Problem('count_differs', { detail, members: { decisions_found: found } })
}

/** Counts the stored decisions that a deletion would delete, up to `deletableMax`. */
async function countDeletable(
  store: OrganizationStore,
  { scope, subject }: DeletionTarget,
  clock: Clock
): Promise<number> {
  if (scope === 'decision') return Number((await selectStoredAt(store, subject)) !== null)
  let found = 0
  for (const { from, to } of timePiecesOf({ from: new Date(0), to: null }, clock.now())) {
    const [row] = await query<{ found: number }>(
      store,
      sql`select count(*)::integer as found
            from (select
                    from decisions
                   where ${and([
                     sql`organization_id = ${store.organizationId}`,
                     textEquals(raw(`${scope}_id`), subject),
                     sql`received_at >= ${from}`,
                     to && sql`received_at < ${to}`
                   ])}
                   limit ${deletableMax - found}) as counted`
    )
    found += row?.found ?? 0
    if (found >= deletableMax) return deletableMax
  }
  return found
}

/**
 * Maximum number of attempts to take the lock. Each waits up to a second, followed by a pause of a
 * second, so five attempts take about as long as a client waits for a response.
 */
const lockAttempts = 5

/** Records the deletion. It also applies to matching decisions that were stored after the count. */
async function begin(
  store: Store,
  call: EditCall,
  { target, reason, found }: { target: DeletionTarget; reason: string | null; found: number }
) {
  const { organization_id, user_id } = call.principal
  const request = { organization_id, ...target, requested_by: user_id, reason }
  const write = () =>
    store.of(organization_id).change(async (transaction) => {
      const { erasure_id: deletion_id } = await writeErasure(transaction, request)
      await recordAudit(transaction, auditOriginOf(call), {
        action: 'deletion.requested',
        kind: target.scope,
        id: target.subject,
        details: { deletion_id, decisions_found: found, reason }
      })
      const isOne = sql`erasure_id = ${deletion_id}`
      return query<Deletion>(transaction, selectDeletions(organization_id, isOne))
    })
  const [deletion] = await retryWhileLocked(write, lockAttempts)
  if (deletion === undefined) throw new Error('the deletion was not recorded')
  return { ...deletion, decisions_found: found }
}
