/** Inserts test data: one row for an organization in each table that holds organization data. */
import { randomUUID } from 'node:crypto'
import { bareRun, bareScore } from '../../../core/evaluation/evaluation.ts'
import { aDecision } from '../../support/builders.ts'
import type { TestDatabase } from '../../support/database.ts'
import { storeDecision, storeRun } from '../api/scene.ts'

/**
 * Tables that the editor role can insert into, except `erasures`. Each value completes an INSERT
 * whose first column is the organization, `$1`.
 */
export const configured: Readonly<Record<string, string>> = {
  agent_profiles: `(agent_id, updated_by) values ($1, 'a', 'test')`,
  connection_circuits: `(connection_id) values ($1, 'con_1')`,
  evaluation_budgets: `(nano_usd_per_day) values ($1, 1)`,
  evaluation_connections: `(connection_id, name, kind, base_url)
    values ($1, 'con_1', 'c', 'openai_compatible', 'https://judge.example.com')`,
  evaluation_rules: `(rule_id, name, definition) values ($1, 'rul_1', 'r', '{}')`,
  evaluator_versions: `(evaluator_id, version, name, kind, config, output, timeout_ms, config_hash,
      created_by) values ($1, 'evl_1', 1, 'e', 'heuristic', '{}', '{}', 1, 'sha256:', 'test')`,
  evaluators: `(evaluator_id, name, version) values ($1, 'evl_1', 'e', 1)`,
  pending_runs: `(decision_id, run_id, rule_id, rule, evaluator_id, evaluator, evaluator_kind,
      evaluator_version, received_at, status, expires_at)
    values ($1, gen_random_uuid(), gen_random_uuid(), 'r', 'r', 'e', 'e', 'llm_judge', 1, now(),
            'scheduled', now())`,
  rule_sets: `(version, content, created_by) values ($1, 1, '{}', 'test')`,
  webhook_deliveries: `(delivery_id, webhook_id, event, payload)
    values ($1, gen_random_uuid(), 'whk_1', 'evaluation.completed', '{}')`,
  webhooks: `(webhook_id, name, url, secret_sealed, events)
    values ($1, 'whk_1', 'w', 'https://hook.example.com', '', '{}')`
}

/** Tables that the evaluation process and storage write. */
const written: Readonly<Record<string, string>> = {
  agents: `(agent_id, first_received_at, last_received_at) values ($1, 'a', now(), now())`,
  decision_facet_hours: `(hour, agent_id, facet, value, decisions, input_tokens, output_tokens,
      input_tokens_known, output_tokens_known, errors, errors_known, latency_ms, latency_known)
    values ($1, now(), 'a', 'model', 'm', 1, 0, 0, 0, 0, 0, 0, 0, 0)`,
  evaluations: `(decision_id, received_at, status, verdict, evaluated_at, run_kinds, statuses)
    values ($1, gen_random_uuid(), now(), 'evaluated', 'pass', now(), '{1}', '{s}')`,
  run_kinds: `(run_kind, rule_id, rule, evaluator_id, evaluator, evaluator_kind,
      evaluator_version, name, run_mask, score_mask)
    values ($1, 1, 'r', 'r', 'e', 'e', 'regex', 1, 'n', gen_random_uuid(), gen_random_uuid())`,
  dead_letters: `(dead_letter_id, decision_id, topic, partition, letter_offset, written_at,
      group_id, reason, step, error, origin_topic, origin_partition, origin_offset,
      content_hash, headers, value_bytes, value_start)
    values ($1, gen_random_uuid(), gen_random_uuid(), 't', 0, 0, now(), 'g', 'r', 's', 'e', 'o', 0,
            0, '', '[]', 0, '')`,
  deferred_decisions: `(decision_id, partition, received_at, characters)
    values ($1, gen_random_uuid(), 0, now(), 1)`,
  ledger_organizations: `(topic, stored, duplicate, conflict, dead_lettered, erased, in_flight,
      missing, messages_in_hours, partitions, missing_records)
    values ($1, 'agent-decisions', 1, 0, 0, 0, 0, 0, 0, 1, '[]', '[]')`,
  evaluation_plans: `(decision_id, received_at, rule_set_version, outcomes, runs)
    values ($1, gen_random_uuid(), now(), 0, '{}', 0)`,
  outcome_hours: `(hour, agent_id, domain, status, verdict, decisions)
    values ($1, now(), 'a', '', 'evaluated', 'pass', 1)`,
  score_hours: `(hour, agent_id, domain, name, source_kind, evaluator_id, evaluator_version,
      scores, valued, value_sum, value_squares, judged, passed)
    values ($1, now(), 'a', '', 'n', 'evaluator', 'e', 1, 1, 0, 0, 0, 1, 1)`,
  evaluation_spend: `(rule_id, evaluator_id, day) values ($1, 'r', 'e', '2026-01-31')`,
  run_attempts: `(decision_id, run_id, attempt)
    values ($1, gen_random_uuid(), gen_random_uuid(), 1)`
}

export const shown = [
  ...['decision_hours', 'decision_ids', 'decisions', 'erasures', 'later_runs', 'later_scores'],
  ...Object.keys(configured),
  ...Object.keys(written)
].toSorted()

/** Views of the tables in `shown`, with the same row-level security as the tables. */
export const views = ['evaluation_runs', 'packed_runs', 'scores'] as const

/**
 * Account tables in which tenants can read the rows of their organization. `fillOrganization`
 * inserts one row into each.
 */
export const accounts = ['api_keys', 'audit_log', 'invites', 'memberships', 'organizations']

async function fillAccounts(database: TestDatabase, organizationId: string): Promise<void> {
  const userId = randomUUID()
  const statements: [string, unknown[]][] = [
    [`insert into organizations (organization_id, name) values ($1, 'o')`, []],
    [
      `insert into users (user_id, email, password_hash) values ($2, $2::uuid::text, 'x')`,
      [userId]
    ],
    [`insert into memberships values ($1, $2, 'owner')`, [userId]],
    [
      `insert into sessions (session_id, user_id, organization_id, expires_at, ends_at)
       values (gen_random_uuid(), $2, $1, now(), now())`,
      [userId]
    ],
    [
      `insert into invites (organization_id, invite_id, email, role, token_digest, invited_by,
                            expires_at)
       values ($1, gen_random_uuid(), 'e', 'member', $2::uuid::text::bytea, $2, now())`,
      [userId]
    ],
    [
      `insert into api_keys (key_id, organization_id, name, environment, secret_digest, scopes)
       values ($2::uuid::text, $1, 'k', 'test', '', '{}')`,
      [userId]
    ],
    [
      `insert into audit_log (organization_id, entry_id, actor_kind, action)
       values ($1, gen_random_uuid(), 'system', 'test')`,
      []
    ]
  ]
  for (const [statement, values] of statements) {
    const isUser = statement.startsWith('insert into users')
    await database.query(
      isUser ? statement.replaceAll('$2', '$1') : statement,
      isUser ? values : [organizationId, ...values]
    )
  }
}

/** Returns a statement that inserts a row for the organization `$1`. */
export function insertInto(table: string): string {
  const rest = configured[table] ?? written[table] ?? ''
  return `insert into ${table} (organization_id, ${rest.trimStart().slice(1)}`
}

/**
 * Inserts the rows that storage, the evaluation process, the gateway and the command line write.
 */
export async function fillOrganization(
  database: TestDatabase,
  organization_id: string
): Promise<void> {
  const decision = aDecision({ organization_id })
  await storeDecision(database, decision)
  const score = { name: 'n', data_type: 'boolean', value: 1, label: null, passed: true } as const
  await storeRun(database, decision, {
    ...{ run_id: randomUUID(), rule: 'r', evaluator: 'e', evaluator_kind: 'heuristic' },
    ...{ evaluator_version: 1, generation: 0, status: 'succeeded', status_reason: null },
    ...{ ...bareRun, attempts: 1, duration_us: 1 },
    scores: [{ ...bareScore, ...score, score_id: randomUUID(), reason: null }]
  })
  await fillAccounts(database, organization_id)
  await database.query(
    `insert into decision_hours
     values ($1, '2026-01-31T12:00:00Z', '', '', 1, 0, 0, 0, 0, 0, 0, 0, 0)`,
    [organization_id]
  )
  await database.query(
    `insert into erasures (erasure_id, organization_id, scope, received_until, requested_by)
     values ($1, $2, 'organization', now(), 'test')`,
    [randomUUID(), organization_id]
  )
  for (const table of [...Object.keys(configured), ...Object.keys(written)]) {
    await database.query(insertInto(table), [organization_id])
  }
}
