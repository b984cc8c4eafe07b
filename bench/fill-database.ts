/** Fills Postgres with a month of deterministic decisions that SQL generates on the server.
 *
 * Each value is derived from a hash of the decision's number. Aggregate tables are computed from
 * the rows.
 */
import type { Postgres } from '../platform/postgres/postgres.ts'

interface FillSettings {
  readonly organizationId: string
  readonly decisions: number
  readonly days: number
  readonly agents: number
  readonly say: (line: string) => void
}

/** SQL function that derives a pseudo-random share (0 to 1) from a number and a purpose. */
const chance = `create or replace function pg_temp.chance(n bigint, what bigint)
  returns double precision language sql immutable as
  $$ select (hashint8extended(n, what) & 1073741823) / 1073741824.0 $$`

/**
 * View of the decisions. Six consecutive decisions form a session, and a few agents produce most of
 * the traffic.
 */
const made = `create temporary view made as
  select n, received_at, agent, 'session-' || session as session_id,
         'domain-' || agent % 8 as domain,
         (lpad(to_hex((extract(epoch from received_at) * 1000)::bigint), 12, '0')
           || '7' || substr(md5(n::text), 1, 3)
           || '8' || substr(md5(n::text), 4, 15))::uuid as decision_id,
         'model-' || (pg_temp.chance(session, 2) * 4)::int as model,
         (1 + agent % 3) || '.' || (pg_temp.chance(session, 3) * 3)::int || '.0' as agent_version,
         'tenant-' || (pg_temp.chance(session, 4) * 200)::int as tenant,
         round((200 + 3000 * pg_temp.chance(n, 5) ^ 3)::numeric)::int as latency_ms,
         pg_temp.chance(n, 6) < 0.02 as is_error,
         (50 + 2000 * pg_temp.chance(n, 7))::int as input_tokens,
         (10 + 500 * pg_temp.chance(n, 8))::int as output_tokens,
         round(pg_temp.chance(n, 9)::numeric, 3) as tone,
         pg_temp.chance(n, 10) < 0.9 as is_polite
    from (select n, $BEGIN$::timestamptz + n * $STEP$ * interval '1 second' as received_at,
                 n / 6 as session, floor($AGENTS$ * pg_temp.chance(n / 6, 1) ^ 2.5)::int as agent
            from generate_series($FROM$::bigint, $TO$::bigint) as n) as numbered`

const words = `(select string_agg(md5((n * 16 + w)::text), ' ') from generate_series(1, $COUNT$) w)`

const whole = [
  `insert into decision_ids (organization_id, decision_id, received_at, fingerprint)
   select $ORG$, decision_id, received_at, sha256(decision_id::text::bytea) from made`,
  `insert into decisions (organization_id, decision_id, received_at, stored_at, input, output,
     agent_id, session_id, domain, metadata, input_tokens, output_tokens, sdk_version, labels,
     model, agent_version, latency_ms, is_error)
   select $ORG$, decision_id, received_at, received_at + interval '1 second',
          '{"question":"' || ${words.replace('$COUNT$', '18')} || '"}',
          '"' || ${words.replace('$COUNT$', '9')} || '"',
          'agent-' || agent, session_id, domain,
          format('{"model":"%s","agent_version":"%s","latency_ms":%s,"tenant":"%s","error":%s}',
                 model, agent_version, latency_ms, tenant, is_error),
          input_tokens, output_tokens, '1.2.0',
          array['model=' || model, 'agent_version=' || agent_version,
                'latency_ms=' || latency_ms, 'tenant=' || tenant, 'error=' || is_error],
          model, agent_version, latency_ms, is_error
     from made`,
  `insert into evaluations (organization_id, decision_id, received_at, agent_id, session_id,
     domain, status, verdict, evaluated_at, stored_at, run_kinds, statuses, durations_us,
     score_values, passed)
   select $ORG$, decision_id, received_at, 'agent-' || agent, session_id, domain, 'evaluated',
          case when tone > 0.1 and is_polite then 'pass'
               when tone > 0.1 or is_polite then 'mixed' else 'fail' end,
          received_at + interval '2 seconds', received_at + interval '2 seconds', '{1,2}', '{s,s}',
          '{40,40}', array[tone::float8, is_polite::int::float8], array[tone > 0.1, is_polite]
     from made`
]

/** Inserts the run kinds of each decision's two runs. The masks are arbitrary. */
const kinds = `
  insert into run_kinds (organization_id, run_kind, rule_id, rule, evaluator_id, evaluator,
    evaluator_kind, evaluator_version, name, data_type, run_mask, score_mask)
  values ($ORG$, 1, 'default', 'default', 'tone', 'tone', 'offline', 1, 'tone', 'numeric',
          '5d1d3b70-3a35-0c0c-0e0b-6b2b8f0c9a41', '1b2b8f0c-3a35-0c0c-0e0b-5d1d3b709a41'),
         ($ORG$, 2, 'default', 'default', 'polite', 'polite', 'offline', 1, 'polite', 'boolean',
          '9a413b70-3a35-0c0c-0e0b-6b2b8f0c5d1d', '8f0c3b70-3a35-0c0c-0e0b-6b2b9a415d1d')`

const measures = `count(*), sum(input_tokens), sum(output_tokens), count(input_tokens),
          count(output_tokens), count(*) filter (where is_error), count(is_error),
          sum(latency_ms), count(latency_ms)`
const measureColumns = `decisions, input_tokens, output_tokens, input_tokens_known,
     output_tokens_known, errors, errors_known, latency_ms, latency_known`

const sums = [
  `insert into decision_hours (organization_id, hour, agent_id, domain, ${measureColumns})
   select $ORG$, date_trunc('hour', received_at, 'UTC'), agent_id, domain, ${measures}
     from decisions where organization_id = $ORG$ group by 2, 3, 4`,
  ...['model', 'agent_version', 'sdk_version'].map(
    (facet) => `insert into decision_facet_hours (organization_id, hour, agent_id, facet, value,
                  ${measureColumns})
     select $ORG$, date_trunc('hour', received_at, 'UTC'), agent_id, '${facet}', ${facet},
            ${measures}
       from decisions where organization_id = $ORG$ group by 2, 3, 5`
  ),
  `insert into agents
   select $ORG$, agent_id, min(received_at), max(received_at)
     from decisions where organization_id = $ORG$ group by 2`,
  `insert into outcome_hours (organization_id, hour, agent_id, domain, status, verdict, decisions)
   select $ORG$, date_trunc('hour', received_at, 'UTC'), agent_id, domain, status, verdict, count(*)
     from evaluations where organization_id = $ORG$ group by 2, 3, 4, 5, 6`,
  `insert into score_hours (organization_id, hour, agent_id, domain, name, source_kind,
     evaluator_id, evaluator_version, scores, valued, value_sum, value_squares, judged, passed)
   select $ORG$, date_trunc('hour', received_at, 'UTC'), agent_id, domain, name, source_kind,
          evaluator_id, evaluator_version, count(*), count(value), sum(value::numeric),
          sum((value * value)::numeric), count(passed), count(*) filter (where passed)
     from scores where organization_id = $ORG$ group by 2, 3, 4, 5, 6, 7, 8`
]

const daySeconds = 86_400
/** Number of days filled in parallel. The server uses one core for each day. */
export const fillConnections = 2

/**
 * Inserts the decisions, their evaluations and the aggregates.
 * @param now time of the last decision, in milliseconds since the epoch
 */
export async function fillDatabase(postgres: Postgres, filling: FillSettings, now: number) {
  const { organizationId, decisions, days, agents, say } = filling
  const begin = new Date(now - days * daySeconds * 1000)
  const perDay = Math.ceil(decisions / days)
  const texts: Readonly<Record<string, string>> = {
    $BEGIN$: `'${begin.toISOString()}'`,
    $STEP$: String((days * daySeconds) / decisions),
    $AGENTS$: String(agents),
    $ORG$: `'${organizationId}'::uuid`
  }
  const filled = (text: string, more: Readonly<Record<string, string>> = {}): string =>
    text.replaceAll(/\$[A-Z]+\$/g, (name) => more[name] ?? texts[name] ?? name)
  for (let day = 0; day <= days; day++) {
    const date = new Date(begin.getTime() + day * daySeconds * 1000).toISOString().slice(0, 10)
    for (const table of ['decisions', 'evaluations']) {
      await postgres.query('select ensure_day_partition($1, $2::date)', [table, date])
    }
  }
  await postgres.query(filled(kinds))
  const fillDay = async (day: number): Promise<void> => {
    const part = {
      $FROM$: String(day * perDay),
      $TO$: String(Math.min((day + 1) * perDay, decisions) - 1)
    }
    await postgres.transaction(async (transaction) => {
      await transaction.query(chance)
      await transaction.query(`drop view if exists made; ${filled(made, part)}`)
      for (const statement of whole) await transaction.query(filled(statement))
    })
    if (day % 5 === 4) say(`  filled ${day + 1} of ${days} days`)
  }
  for (let day = 0; day < days; day += fillConnections) {
    const next = Array.from({ length: Math.min(fillConnections, days - day) }, (_, i) => day + i)
    await Promise.all(next.map(fillDay))
  }
  for (const statement of sums) await postgres.query(filled(statement))
  await postgres.query('vacuum analyze')
}
