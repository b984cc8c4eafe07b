/** Fills a running `npm start` with data for pictures: a week of decisions, and new ones of several
 * agents.
 */
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import type { LocalFile } from '../../stack/local-file.ts'
import { createApiClient } from '../../stack/tour/api-client.ts'
import { SAMPLES } from '../../stack/tour/samples.ts'
import type { Sample } from '../../stack/tour/samples.ts'
import { runTour } from '../../stack/tour/tour.ts'
import { storeAgentUsage } from '../support/agent-usage.ts'
import type { AgentDecision } from '../support/agent-usage.ts'
import type { Row } from '../support/database.ts'
import { waitUntil } from '../support/wait-until.ts'

const hourMs = 3_600_000
const pollMs = 5000
const auditTimeoutMs = 300_000
const rejected = 3
const historyHours = 7 * 24
const agents = ['refund-agent', 'routing-agent', 'underwriting-agent'] as const

/** Agent, domain, model, question, output. The last two fail a check. */
const decisions = [
  ['triage-agent', 'support', 'claude-haiku-4-5', 'Where is my invoice?', 'Queue: billing.'],
  ['pricing-agent', 'sales', 'gpt-5', 'Quote 40 seats.', '40 seats cost 760 EUR a month.'],
  ['moderation-agent', 'trust', 'gpt-5-mini', 'Is this spam?', 'No: it answers the thread.'],
  ['search-agent', 'docs', 'claude-haiku-4-5', 'How do I rotate a key?', 'See "API keys".'],
  ['routing-agent', 'support', 'gpt-5-mini', 'The login fails.', 'Queue: accounts.'],
  ['pricing-agent', 'sales', 'gpt-5', 'Is there a discount?', 'Yes: 10 % for a year.'],
  ['triage-agent', 'support', 'claude-haiku-4-5', 'Cancel my plan.', 'Queue: retention, because'],
  ['search-agent', 'docs', 'gpt-5-mini', 'Who wrote this?', "I'm sorry, I can't help with that."]
] as const

export async function fillStack(local: LocalFile): Promise<void> {
  const api = createApiClient(local.base_url)
  if (!(await hasHistory(local))) await storeHistory(local)
  for (const [agent_id] of decisions.slice(0, rejected)) {
    await api.ingest(local.api_key, { agent_id, input: 'x' })
  }
  await runTour(api, local, [...decisions.map(sampleOf), ...SAMPLES])
  const sentAt = Date.now()
  await waitForLedger(local, sentAt)
}

function sampleOf([agent_id, domain, model, question, output]: (typeof decisions)[number]): Sample {
  const [input_tokens, output_tokens] = [180 + 7 * question.length, 6 + output.length]
  const metadata = { model, agent_version: '1.4.0', latency_ms: 30 * output_tokens }
  const session_id = `${domain}-${input_tokens}`
  const input = { question }
  return { agent_id, session_id, domain, input, output, metadata, input_tokens, output_tokens }
}

async function logIn({ base_url, email, password }: LocalFile) {
  const { body } = await createApiClient(base_url).login(email, password)
  return String(body['access_token'])
}

async function hasHistory(local: LocalFile): Promise<boolean> {
  const to = new Date(Date.now() - 24 * hourMs).toISOString()
  const path = `/v1/decisions?from=-7d&to=${to}&limit=1`
  const { body } = await createApiClient(local.base_url).read(await logIn(local), path)
  return (body['data'] as readonly unknown[]).length > 0
}

/** Stores decisions of the last week directly, because the gateway sets the time of each. */
async function storeHistory(local: LocalFile): Promise<void> {
  const pool = new pg.Pool({ connectionString: local.database_url })
  const query = async <R extends Row>(statement: string, values: readonly unknown[] = []) =>
    (await pool.query<R>(statement, [...values])).rows
  const hours = Array.from({ length: historyHours - 1 }, (_, index) => index + 1)
  const history = hours.flatMap((hoursAgo) => decisionsOf(hoursAgo, Date.now()))
  await storeAgentUsage({ url: local.database_url, query }, local.organization_id, history)
  await pool.end()
}

/**
 * Creates more decisions by day than by night. About one in six fails, and about half fail in three
 * of every 31 hours.
 */
function decisionsOf(hoursAgo: number, now: number): AgentDecision[] {
  const received = new Date(now - hoursAgo * hourMs)
  const daylight = Math.max(0, Math.sin(((received.getUTCHours() - 6) * Math.PI) / 14))
  return Array.from({ length: 3 + Math.round(12 * daylight) }, (_, index) => {
    const isFailed = index % 6 === 5 || (hoursAgo % 31 < 3 && index % 2 === 1)
    return {
      received_at: received,
      agent_id: agents[index % agents.length] ?? null,
      domain: index % agents.length === 2 ? 'lending' : 'support',
      model: 'gpt-5-mini',
      agent_version: hoursAgo > 60 ? '4.1.0' : '4.2.0',
      input_tokens: 300 + 9 * index,
      output_tokens: 40,
      latency_ms: 700 + 90 * index + 5 * (hoursAgo % 24),
      status: 'evaluated',
      verdict: isFailed ? 'fail' : 'pass',
      scores: [{ name: 'not_refusal', value: isFailed ? 0 : 1, passed: !isFailed }]
    }
  })
}

/** Waits until storage has audited the topic, about every 30 seconds in `npm start`. */
async function waitForLedger(local: LocalFile, sentAt: number): Promise<void> {
  const token = await logIn(local)
  process.stdout.write('waiting for the next audit of storage\n')
  const isAudited = async (): Promise<boolean> => {
    await pause(pollMs)
    const { body } = await createApiClient(local.base_url).read(token, '/v1/ingestion/ledger')
    const ledger = body['ledger'] as { audited_at: string } | null
    return ledger !== null && Date.parse(ledger.audited_at) > sentAt
  }
  await waitUntil('the next audit of storage', isAudited, auditTimeoutMs)
}
