/** The decision of a run, read from the store when it is to be judged: a job carries no content. */
import type { Decision } from '../../../core/decision/decision.ts'
import type { RunKey } from '../../../core/evaluation/evaluation.ts'
import type { Queryable, Row } from '../../../platform/postgres/postgres.ts'

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
  key: RunKey
): Promise<Decision | 'absent' | 'dropped' | 'erased'> {
  const { organization_id, decision_id } = key
  let row = await selectDecision(transaction, key)
  if (row === undefined) {
    const why = await whyMissing(transaction, key)
    if (why !== 'dropped') return why
    // Identity and decision are stored together, maybe just now: asked behind the identity it is
    // either there, or was dropped.
    row = await selectDecision(transaction, key)
    if (row === undefined) return 'dropped'
  }
  const output = JSON.parse(row.output) as string
  return { ...row, organization_id, decision_id, received_at: row.received_at.getTime(), output }
}

/** The day is known before the partitions are opened, so that one of them is read. */
async function selectDecision(
  transaction: Queryable,
  { organization_id, decision_id }: RunKey
): Promise<DecisionRow | undefined> {
  const rows = await transaction.query<DecisionRow>(
    `select received_at, input, output, agent_id, session_id, domain, metadata, input_tokens,
            output_tokens, sdk_version
       from decisions
      where organization_id = $1 and decision_id = $2
        and received_at = (select i.received_at from decision_ids as i
                            where i.organization_id = $1 and i.decision_id = $2
                              and i.erased_at is null)`,
    [organization_id, decision_id]
  )
  return rows[0]
}

async function whyMissing(transaction: Queryable, { organization_id, decision_id }: RunKey) {
  const [identity] = await transaction.query<{ erased_at: Date | null }>(
    `select erased_at from decision_ids where organization_id = $1 and decision_id = $2`,
    [organization_id, decision_id]
  )
  if (identity === undefined) return 'absent'
  return identity.erased_at === null ? 'dropped' : 'erased'
}
