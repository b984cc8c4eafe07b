/** The decision of a run, read from the store when it is to be judged: a job carries no content. */
import type { Decision } from '../../../core/decision.ts'
import type { RunKey } from '../../../core/evaluation.ts'
import type { Queryable, Row } from '../../../platform/postgres.ts'

interface DecisionRow extends Row {
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

/** `absent`: not stored yet. `dropped`: its time was over. */
export async function readDecision(
  transaction: Queryable,
  { organization_id, decision_id }: RunKey
): Promise<Decision | 'absent' | 'dropped' | 'erased'> {
  const identities = await transaction.query<{ received_at: Date; erased_at: Date | null }>(
    `select received_at, erased_at from decision_ids
      where organization_id = $1 and decision_id = $2`,
    [organization_id, decision_id]
  )
  const [identity] = identities
  if (identity === undefined) return 'absent'
  if (identity.erased_at !== null) return 'erased'
  // The day is given as a value, so that one partition is looked into.
  const rows = await transaction.query<DecisionRow>(
    `select received_at, input, output, agent_id, session_id, domain, metadata, input_tokens,
            output_tokens, sdk_version
       from decisions
      where organization_id = $1 and decision_id = $2
        and received_at = (select i.received_at from decision_ids as i
                            where i.organization_id = $1 and i.decision_id = $2)`,
    [organization_id, decision_id]
  )
  const [row] = rows
  if (row === undefined) return 'dropped'
  const output = JSON.parse(row.output) as string
  return { ...row, organization_id, decision_id, received_at: row.received_at.getTime(), output }
}
