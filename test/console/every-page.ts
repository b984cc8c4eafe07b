/** Creates an organization with hostile text in all its names, and lists every page that shows it.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll } from '@jest/globals'
import type { Page } from 'playwright-core'
import { startJudgeServer } from '../support/judge-server.ts'
import { waitUntil } from '../support/wait-until.ts'
import { useConsoleScene } from './console-scene.ts'

/** Names cannot contain bidirectional marks. */
const hostileName = '<img src=//evil.example onerror=console.error(1)>'
export const hostile = `\u202e${hostileName}javascript:console.error(2)`
/** The console shows the name of the bidirectional mark between ⟨ and ⟩. */
const shownHostile = /^⟨.+⟩<img/

/** Pages, each with a request that it sends and a text that it shows only after the response. */
export const pages: readonly (readonly [path: string, request: RegExp, text: string | RegExp])[] = [
  ['decisions', /\/v1\/decisions\/search$/, /kept/],
  ['decisions', /\/v1\/decisions\/facets\?field=agent/, /<img.* \d+$/],
  ['decisions', /\/v1\/decisions\/stats\?/, /: \d+ decisions/],
  ['decisions/ID', /\/v1\/evaluation\/[0-9a-f-]{36}/, /^planned \d/],
  ['decisions/ID', /\/v1\/decisions\/[0-9a-f-]{36}\/context$/, /neighbor/],
  ['agents', /\/v1\/profiles\?/, shownHostile],
  ['agents/AGENT', /\/v1\/profiles\/[^/]+\?/, /last seen/],
  ['agents/AGENT', /\/v1\/profiles\/[^/]+\/timeseries\?/, 'Mean latency in ms'],
  ['health', /\/v1\/ingestion\/outcomes\?/, / received = /],
  ['health', /\/v1\/ingestion\/refused$/, /output is required/],
  ['health', /\/v1\/ingestion\/ledger$/, /audited/],
  ['dead-letters', /\/v1\/dead-letters\?/, shownHostile],
  ['dead-letters/RECORD', /\/v1\/dead-letters\/[0-9a-f-]{36}$/, 'Dead-lettered'],
  ['evaluation/rules', /\/v1\/evaluation\/rules$/, 'Delete'],
  ['evaluation/rules', /\/v1\/evaluation\/scores\/summary\?/, /^\d{2}$/],
  ['evaluation/evaluators', /\/v1\/evaluation\/evaluators$/, 'not_refusal'],
  ['evaluation/evaluators/EVALUATOR', /\/evl_[0-9a-f]+\/versions/, 'Version 1'],
  ['evaluation/runs', /\/v1\/evaluation\/runs\?/, /^[0-9a-f]{12}$/],
  ['evaluation/connections', /\/v1\/evaluation\/connections$/, hostileName],
  ['evaluation/health', /\/v1\/evaluation\/budget$/, 'Spent today'],
  ['evaluation/health', /\/v1\/evaluation\/health$/, 'Planned runs'],
  ['settings/keys', /\/v1\/auth\/api-keys$/, 'send decisions'],
  ['settings/organization', /\/v1\/auth\/organization$/, 'Rate limit'],
  ['settings/members', /\/v1\/auth\/organization\/members$/, 'Leave'],
  ['settings/members', /\/v1\/auth\/organization\/invites$/, 'Withdraw'],
  ['settings/audit', /\/v1\/auth\/audit\?/, 'Details'],
  ['settings/sessions', /\/v1\/auth\/sessions$/, 'this session'],
  ['welcome', /\/v1\/auth\/onboarding/, /steps are/]
]

/** The texts of each path. */
const textsOf = Map.groupBy(pages, ([path]) => path)
export const paths = [...textsOf.keys()]

/** Starts a scene with `ids`, and with `urlOf`, which puts them into a path. */
export function useEveryPage() {
  const scene = useConsoleScene()
  const ids: Record<string, string> = { ID: randomUUID(), AGENT: hostile }

  beforeAll(async () => {
    const { client } = scene()
    await sendDecisions()
    await client.get(`/v1/decisions/${ids['ID']}?wait=30&until=evaluated`)
    ids['RECORD'] = await waitUntil('the dead-letter record', async () => {
      const { body } = await client.get('/v1/dead-letters')
      return (body['data'] as { dead_letter_id: string }[])[0]?.dead_letter_id
    })
    await configure()
  })

  async function sendDecisions(): Promise<void> {
    const { client, tenant } = scene()
    const metadata = { hostile, trace_id: hostile, kind: hostile, name: hostile, error: true }
    const sent = { agent_id: hostile, session_id: hostile, domain: hostile, metadata }
    for (const output of [`kept ${hostile}`, 'other']) {
      await client.accept({ ...sent, decision_id: ids['ID'], input: { hostile }, output })
    }
    await client.accept({ ...sent, input: 2, output: 'neighbor' })
    await client.ingest(tenant.api_key, { agent_id: hostile, input: 1 })
  }

  /**
   * Creates a connection, a judge, a rule, an invite and an API key. The judge server is stopped,
   * so runs of the judge stay pending.
   */
  async function configure(): Promise<void> {
    const models = [{ model: 'grader', usd_per_million_input: 1, usd_per_million_output: 2 }]
    const server = await startJudgeServer()
    const connection = { name: hostileName, base_url: server.baseUrl, api_key: 'sk-secret', models }
    const { connection_id } = await post('/v1/evaluation/connections', connection)
    const scale = { type: 'rubric', min: 1, max: 5 }
    const config = { connection_id, model: 'grader', prompt: `{{output}} ${hostile}?`, scale }
    const judge = { name: 'helpful', description: hostile, kind: 'llm_judge', config }
    const evaluator = await post('/v1/evaluation/evaluators', { ...judge, self_test: false })
    await server.close()
    const evaluators = [{ evaluator_id: evaluator['evaluator_id'] }]
    const { rule_id } = await post('/v1/evaluation/rules', { name: hostileName, evaluators })
    await post('/v1/auth/organization/invites', { email: 'guest@example.com', role: 'viewer' })
    await post('/v1/auth/api-keys', { name: hostileName, scopes: ['ingest'] })
    await post('/v1/auth/organization', { name: hostileName }, 'PATCH')
    ids['RULE'] = String(rule_id)
    ids['EVALUATOR'] = String(evaluator['evaluator_id'])
    const { client } = scene()
    await waitUntil('a run of the judge', async () => {
      const judged = { agent_id: hostile, session_id: hostile, input: 3, output: 'judged' }
      await client.get(`/v1/evaluation/${await client.accept(judged)}?wait=5&until=evaluated`)
      const { body } = await client.get(`/v1/evaluation/runs?rule_id=${String(rule_id)}`)
      return (body['data'] as object[]).length > 0
    })
  }

  /** Sends a change as the owner, and returns the response. */
  async function post(path: string, body: object, method = 'POST') {
    const { gateway, client, tenant } = scene()
    const { body: login } = await client.login(tenant.email, tenant.password)
    const authorization = `Bearer ${String(login['access_token'])}`
    const headers = { authorization, 'content-type': 'application/json' }
    const request = { method, headers, body: JSON.stringify(body) }
    const response = await fetch(gateway.url + path, request)
    const text = await response.text()
    if (!response.ok) throw new Error(`${path}: ${text}`)
    return JSON.parse(text) as Record<string, unknown>
  }

  const urlOf = (path: string, values: Record<string, string> = ids): string =>
    `/console/${path.replace(/[A-Z]{2,}/g, (name) => encodeURIComponent(values[name] ?? name))}`
  return { scene, ids, urlOf }
}

/** Opens a page, and waits until it shows all that it reads. */
export async function show(page: Page, url: string, path: string): Promise<void> {
  await page.goto(url)
  for (const [, , text] of textsOf.get(path) ?? []) {
    await page.locator('main').getByText(text).or(page.getByTitle(text)).first().waitFor()
  }
}
