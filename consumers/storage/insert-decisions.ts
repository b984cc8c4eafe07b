/** Inserts decisions whose identities this transaction claimed, and adds them to the hourly sums.
 */
import { facetsOf } from '../../core/decision/decision-facets.ts'
import type { Decision } from '../../core/decision/decision.ts'
import { changeHours, sumDecisions, summedColumns } from '../../store/change-hours.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import {
  bigintArray,
  booleanArray,
  float8Array,
  textArray,
  textArrayLiteral,
  timestamptzArray,
  uuidArray
} from '../../platform/postgres/postgres-array.ts'

/**
 * Inserts agents in sorted order, to avoid deadlocks. Updates an agent only if its first or last
 * time changes.
 */
const updateAgents = `,
  seen_agents as (
    insert into agents as a (organization_id, agent_id, first_received_at, last_received_at)
    select organization_id, agent_id, min(first_received_at), max(last_received_at)
      from summed
     group by 1, 2
     order by 1, 2
    on conflict (organization_id, agent_id) do update
       set first_received_at = least(a.first_received_at, excluded.first_received_at),
           last_received_at = greatest(a.last_received_at, excluded.last_received_at)
     where excluded.first_received_at < a.first_received_at
        or excluded.last_received_at > a.last_received_at
  )`

const insertAll = `
  with inserted as (
    insert into decisions (organization_id, decision_id, received_at, input, output, agent_id,
                           session_id, domain, metadata, input_tokens, output_tokens,
                           sdk_version, labels, model, agent_version, trace_id,
                           parent_decision_id, kind, name, latency_ms, is_error)
    select organization_id, decision_id, received_at, input, output, agent_id,
           session_id, domain, metadata, input_tokens, output_tokens,
           sdk_version, labels::text[], model, agent_version, trace_id,
           parent_decision_id::uuid, kind, name, latency_ms, is_error
      from unnest($1::uuid[], $2::uuid[], $3::timestamptz[], $4::text[], $5::text[],
                  $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[],
                  $11::bigint[], $12::text[], $13::text[], $14::text[], $15::text[],
                  $16::text[], $17::text[], $18::text[], $19::text[], $20::float8[],
                  $21::boolean[])
           as given (organization_id, decision_id, received_at, input, output, agent_id,
                     session_id, domain, metadata, input_tokens, output_tokens,
                     sdk_version, labels, model, agent_version, trace_id, parent_decision_id, kind,
                     name, latency_ms, is_error)
    returning ${summedColumns}
  )${sumDecisions('inserted')}${updateAgents}${changeHours('+')}`

/**
 * Stores `output` as a JSON literal, because a text column cannot contain U+0000 but can contain
 * its escape sequence.
 */
export async function insertDecisions(
  transaction: Queryable,
  decisions: readonly Decision[]
): Promise<void> {
  if (decisions.length === 0) return
  await transaction.query(insertAll, [
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
    textArray(decisions.map(({ sdk_version }) => sdk_version)),
    ...facetArrays(decisions)
  ])
}

function facetArrays(decisions: readonly Decision[]) {
  const facets = decisions.map(({ metadata }) => facetsOf(metadata))
  return [
    textArray(facets.map(({ labels }) => labels && textArrayLiteral(labels))),
    textArray(facets.map(({ model }) => model)),
    textArray(facets.map(({ agent_version }) => agent_version)),
    textArray(facets.map(({ trace_id }) => trace_id)),
    textArray(facets.map(({ parent_decision_id }) => parent_decision_id)),
    textArray(facets.map(({ kind }) => kind)),
    textArray(facets.map(({ name }) => name)),
    float8Array(facets.map(({ latency_ms }) => latency_ms)),
    booleanArray(facets.map(({ is_error }) => is_error))
  ]
}
