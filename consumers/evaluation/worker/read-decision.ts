/** Reads decisions by identity, for pending runs and deferred decisions. */
import { identityNameOf } from '../../../core/decision/decision.ts'
import type { Decision, DecisionIdentity } from '../../../core/decision/decision.ts'
import type { Queryable, Row } from '../../../platform/postgres/postgres.ts'
import { identityArrays } from '../../../store/find-identities.ts'

interface DecisionRow extends Row, DecisionIdentity {
  readonly received_at: Date
  readonly input: string
  /** A JSON literal. */
  readonly output: string
  readonly agent_id: string | null
  readonly session_id: string | null
  readonly domain: string | null
  readonly metadata: string | null
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  readonly sdk_version: string | null
}

/**
 * Reads a decision. Returns `absent` if it is not stored yet, `dropped` if retention has deleted
 * it, and `erased` if an erasure has deleted it.
 */
export async function readDecision(
  transaction: Queryable,
  key: DecisionIdentity
): Promise<Decision | 'absent' | 'dropped' | 'erased'> {
  let [row] = await selectDecisions(transaction, [key])
  if (row === undefined) {
    const why = await whyMissing(transaction, key)
    if (why !== 'dropped') return why
    // Reads again, because the decision may have been stored between the two queries. If it is
    // still missing, retention has deleted it.
    row = (await selectDecisions(transaction, [key]))[0]
    if (row === undefined) return 'dropped'
  }
  return decisionOf(row)
}

/**
 * Reads several decisions. Returns the same results as `readDecision`, in the order of the keys.
 */
export async function readDecisions(
  transaction: Queryable,
  keys: readonly DecisionIdentity[]
): Promise<readonly Awaited<ReturnType<typeof readDecision>>[]> {
  const rows = await selectDecisions(transaction, keys)
  const found = new Map(rows.map((row) => [identityNameOf(row), decisionOf(row)]))
  return await Promise.all(
    keys.map(
      async (key) => found.get(identityNameOf(key)) ?? (await readDecision(transaction, key))
    )
  )
}

function decisionOf(row: DecisionRow): Decision {
  const output = JSON.parse(row.output) as string
  return { ...row, received_at: row.received_at.getTime(), output }
}

/** Looks up `received_at` first, so that Postgres reads only one partition per decision. */
async function selectDecisions(
  transaction: Queryable,
  keys: readonly DecisionIdentity[]
): Promise<DecisionRow[]> {
  return await transaction.query<DecisionRow>(
    `select organization_id, decision_id, found.*
       from unnest($1::uuid[], $2::uuid[]) as wanted (organization_id, decision_id)
      cross join lateral (
            select i.received_at from decision_ids as i
             where i.organization_id = wanted.organization_id
               and i.decision_id = wanted.decision_id and i.erased_at is null
             limit 1) as identity
      cross join lateral (
            select d.received_at, d.input, d.output, d.agent_id, d.session_id, d.domain,
                   d.metadata, d.input_tokens, d.output_tokens, d.sdk_version
              from decisions as d
             where d.organization_id = wanted.organization_id
               and d.decision_id = wanted.decision_id and d.received_at = identity.received_at
             limit 1) as found`,
    identityArrays(keys)
  )
}

async function whyMissing(transaction: Queryable, key: DecisionIdentity) {
  const [identity] = await transaction.query<{ erased_at: Date | null }>(
    `select erased_at from decision_ids where organization_id = $1 and decision_id = $2`,
    [key.organization_id, key.decision_id]
  )
  if (identity === undefined) return 'absent'
  return identity.erased_at === null ? 'dropped' : 'erased'
}
