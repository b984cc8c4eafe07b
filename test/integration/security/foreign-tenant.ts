/** Creates test data: another organization with one object of every kind that a path can name. */
import { randomUUID } from 'node:crypto'
import { bareRun, bareScore } from '../../../core/evaluation/evaluation.ts'
import { aDecision } from '../../support/builders.ts'
import { storePendingRun } from '../api/pending-runs.ts'
import { storeDecision, storeRun } from '../api/scene.ts'
import type { Scene } from '../api/scene.ts'

/** Part of every text of the organization, so that a leaked text is recognized. */
export const marker = 'giveaway'

export interface ForeignTenant {
  readonly organizationId: string
  /** IDs by path parameter. */
  readonly ids: Readonly<Record<string, string>>
}

export async function createForeignTenant(scene: Scene): Promise<ForeignTenant> {
  const organizationId = randomUUID()
  const accounts = await insertAccounts(scene, organizationId)
  const configured = await createConfigured(scene, organizationId)
  const decision = aDecision({
    ...{ organization_id: organizationId, agent_id: `${marker}-agent` },
    ...{ session_id: accounts.session_id, domain: `${marker}-domain` },
    ...{ input: `"${marker}"`, output: marker, metadata: `{"model":"${marker}"}` }
  })
  await storeDecision(scene.database, decision)
  const score = { name: marker, data_type: 'boolean', value: 1, label: null, passed: true } as const
  const run_id = randomUUID()
  await storeRun(scene.database, decision, {
    ...{ ...bareRun, run_id, rule: marker, evaluator: marker, evaluator_kind: 'heuristic' },
    ...{ evaluator_version: 1, generation: 0, status: 'failed', status_reason: 'code_error' },
    ...{ attempts: 1, duration_us: 1 },
    scores: [{ ...bareScore, ...score, score_id: randomUUID(), reason: marker }]
  })
  await storePendingRun(scene.database, decision)
  const deletion_id = await storeSums(scene, organizationId, decision.decision_id)
  const { decision_id } = decision
  const dead_letter_id = await storeDeadLetter(scene, organizationId)
  const own = { decision_id, run_id, deletion_id, dead_letter_id, version: '1' }
  const ids = { ...accounts, ...configured, ...own }
  return { organizationId, ids: { ...ids, agent_id: `${marker}-agent` } }
}

/**
 * Inserts the organization, and a user with a session, an API key and an invite. The decision uses
 * the session id, too, because paths use the same name for both.
 */
async function insertAccounts({ database }: Scene, organizationId: string) {
  const [user_id, session_id, invite_id] = [randomUUID(), randomUUID(), randomUUID()]
  const key_id = randomUUID().replaceAll('-', '').slice(0, 12)
  const email = `${marker}@example.com`
  for (const [statement, ...values] of [
    [`insert into organizations (organization_id, name) values ($1, $2)`, marker],
    [
      `with added as (insert into users (user_id, email, password_hash, name)
                      values ($2, $3, '', $4) returning user_id)
       insert into memberships (organization_id, user_id, role)
       select $1::uuid, user_id, 'owner' from added`,
      ...[user_id, email, marker]
    ],
    [
      `insert into sessions (session_id, user_id, organization_id, expires_at, ends_at)
       values ($2, $3, $1, now() + interval '1 day', now() + interval '1 day')`,
      ...[session_id, user_id]
    ],
    [
      `insert into api_keys (key_id, organization_id, name, environment, secret_digest, scopes)
       values ($2, $1, $3, 'live', '', '{ingest}')`,
      ...[key_id, marker]
    ],
    [
      `insert into invites (organization_id, invite_id, email, role, token_digest, invited_by,
         expires_at)
       values ($1, $2, $3, 'viewer', '\\x01', $4, now() + interval '1 day')`,
      ...[invite_id, email, user_id]
    ]
  ] as [string, ...string[]][]) {
    await database.query(statement, [organizationId, ...values])
  }
  return { user_id, session_id, key_id, invite_id }
}

/** Creates configuration through the API, as the owner of the organization would. */
async function createConfigured(scene: Scene, organizationId: string) {
  const create = async (path: string, id: string, body: object): Promise<string> => {
    const sending = { method: 'POST', path, body, organizationId } as const
    const answer = await scene.send<Record<string, unknown>>(sending)
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
    return String(answer.body[id])
  }
  const root = '/v1/evaluation'
  const evaluator_id = await create(`${root}/evaluators`, 'evaluator_id', {
    ...{ name: marker, kind: 'regex' },
    config: { pattern: marker, target: 'output', must_match: true }
  })
  const rule_id = await create(`${root}/rules`, 'rule_id', {
    name: marker,
    evaluators: [{ evaluator_id, version: 'latest' }]
  })
  const connection_id = await create(`${root}/connections`, 'connection_id', {
    ...{ name: marker, base_url: 'http://127.0.0.1:1/v1', api_key: 'sk-none' },
    models: [{ model: marker }]
  })
  const webhook_id = await create(`${root}/webhooks`, 'webhook_id', {
    ...{ name: marker, url: 'http://127.0.0.1:1/hook', events: ['evaluation.completed'] }
  })
  const delivery_id = randomUUID()
  await scene.database.query(
    `insert into webhook_deliveries (organization_id, delivery_id, webhook_id, event, payload)
     values ($1, $2, $3, 'evaluation.completed', $4)`,
    [organizationId, delivery_id, webhook_id, JSON.stringify({ text: marker })]
  )
  return { evaluator_id, rule_id, connection_id, webhook_id, delivery_id }
}

/**
 * Inserts an agent with its profile, hourly sums, an evaluation and an erasure.
 * @returns the id of the erasure
 */
async function storeSums(
  { database }: Scene,
  organizationId: string,
  decisionId: string
): Promise<string> {
  const erasureId = randomUUID()
  const agent = `${marker}-agent`
  const hour = `date_trunc('hour', now())`
  for (const [statement, ...values] of [
    [
      `insert into decision_hours (organization_id, hour, agent_id, domain, decisions,
         input_tokens, output_tokens, input_tokens_known, output_tokens_known, errors, errors_known,
         latency_ms, latency_known)
       values ($1, ${hour}, $2, $3, 1, 0, 0, 0, 0, 0, 0, 0, 0)`,
      ...[agent, `${marker}-domain`]
    ],
    [`insert into agents values ($1, $2, now(), now())`, agent],
    [
      `insert into agent_profiles (organization_id, agent_id, name, updated_by)
       values ($1, $2, $3, 'test')`,
      ...[agent, marker]
    ],
    [
      `insert into evaluations (organization_id, decision_id, received_at, agent_id, status,
         verdict, scores, counted)
       values ($1, $2, now(), $3, 'failed', 'none', '{}', '[]')`,
      ...[decisionId, agent]
    ],
    [`insert into outcome_hours values ($1, ${hour}, $2, '', 'failed', 'none', 1)`, agent],
    [
      `insert into erasures (organization_id, erasure_id, scope, subject, received_until,
         requested_by, reason)
       values ($1, $2, 'agent', $3, '2000-01-01', $4, $4)`,
      ...[erasureId, `${marker}-other`, marker]
    ]
  ] as [string, ...string[]][]) {
    await database.query(statement, [organizationId, ...values])
  }
  return erasureId
}

/** @returns the id of the record */
async function storeDeadLetter({ database }: Scene, organizationId: string): Promise<string> {
  const id = randomUUID()
  await database.query(
    `insert into dead_letters (organization_id, dead_letter_id, decision_id, agent_id, topic,
       partition, letter_offset, written_at, group_id, reason, step, error, origin_topic,
       origin_partition, origin_offset, content_hash, headers, value_bytes, value_start, decoded)
     values ($1, $2, $2, $3, 'agent-decisions.dead-letter', 0, 0, now(), 'g', $3, 'decode', $3,
             'agent-decisions', 0, 0, '', '[]', 0, '', $4)`,
    [organizationId, id, marker, JSON.stringify({ output: marker })]
  )
  return id
}
