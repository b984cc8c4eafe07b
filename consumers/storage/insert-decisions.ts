/** Inserts decisions whose identities this transaction claimed, and adds them to their hours. */
import type { Decision } from '../../core/decision.ts'
import { changeHours } from '../../platform/change-hours.ts'
import type { Queryable } from '../../platform/postgres.ts'
import {
  bigintArray,
  textArray,
  timestamptzArray,
  uuidArray
} from '../../platform/postgres-array.ts'

/** `output` is stored as its JSON literal: a text column cannot hold U+0000, its escape it can. */
export async function insertDecisions(
  transaction: Queryable,
  decisions: readonly Decision[]
): Promise<void> {
  if (decisions.length === 0) return
  await transaction.query(
    `with inserted as (
       insert into decisions (organization_id, decision_id, received_at, input, output, agent_id,
                              session_id, domain, metadata, input_tokens, output_tokens,
                              sdk_version)
       select * from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[],
                            $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[],
                            $11::bigint[], $12::text[])
       returning organization_id, received_at, agent_id, domain, input_tokens, output_tokens
     )
     ${changeHours('inserted', '+')}`,
    [
      uuidArray(decisions.map(({ organization_id }) => organization_id)),
      uuidArray(decisions.map(({ decision_id }) => decision_id)),
      timestamptzArray(decisions.map(({ received_at }) => received_at)),
      textArray(decisions.map(({ input }) => input)),
      textArray(decisions.map(({ output }) => JSON.stringify(output))),
      textArray(decisions.map(({ agent_id }) => agent_id)),
      textArray(decisions.map(({ session_id }) => session_id)),
      textArray(decisions.map(({ domain }) => domain)),
      textArray(decisions.map(({ metadata }) => metadata)),
      bigintArray(decisions.map(({ input_tokens }) => input_tokens)),
      bigintArray(decisions.map(({ output_tokens }) => output_tokens)),
      textArray(decisions.map(({ sdk_version }) => sdk_version))
    ]
  )
}
