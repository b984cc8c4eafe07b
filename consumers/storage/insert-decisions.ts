/** Inserts decisions whose identities this transaction claimed. */
import type { Decision } from '../../core/decision.ts'
import type { Queryable } from '../../platform/postgres.ts'

/** `output` is stored as its JSON literal: a text column cannot hold U+0000, its escape it can. */
export async function insertDecisions(
  transaction: Queryable,
  decisions: readonly Decision[]
): Promise<void> {
  if (decisions.length === 0) return
  await transaction.query(
    `insert into decisions (organization_id, decision_id, received_at, input, output, agent_id,
                            session_id, domain, metadata, input_tokens, output_tokens, sdk_version)
     select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[],
                          $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[],
                          $11::bigint[], $12::text[])`,
    [
      decisions.map(({ organization_id }) => organization_id),
      decisions.map(({ decision_id }) => decision_id),
      decisions.map(({ received_at }) => new Date(received_at)),
      decisions.map(({ input }) => input),
      decisions.map(({ output }) => JSON.stringify(output)),
      decisions.map(({ agent_id }) => agent_id),
      decisions.map(({ session_id }) => session_id),
      decisions.map(({ domain }) => domain),
      decisions.map(({ metadata }) => metadata),
      decisions.map(({ input_tokens }) => input_tokens),
      decisions.map(({ output_tokens }) => output_tokens),
      decisions.map(({ sdk_version }) => sdk_version)
    ]
  )
}
