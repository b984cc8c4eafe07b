/** Tests the pages of evaluation in a browser: configuration, reasons, roles and accessibility. */
import { beforeAll, describe, expect, test } from '@jest/globals'
import { onEnd } from '../support/cleanup.ts'
import type { Tenant } from '../support/installation.ts'
import { startJudgeServer } from '../support/judge-server.ts'
import type { JudgeServer } from '../support/judge-server.ts'
import { waitUntil } from '../support/wait-until.ts'
import { expectNoFlaws, openPage, useConsoleScene } from './console-scene.ts'
import { signIn } from './sign-in.ts'
import { violationsOf } from './violations.ts'

const scene = useConsoleScene()
const paths = ['rules', 'evaluators', 'evaluators/not_refusal', 'runs', 'connections', 'health']
let judge: JudgeServer
let judgeId: string
let viewer: Tenant

/** Sends a change as the owner, and returns the response. */
async function send(path: string, body: object): Promise<Record<string, unknown>> {
  const { gateway, client, tenant } = scene()
  const { body: login } = await client.login(tenant.email, tenant.password)
  const authorization = `Bearer ${String(login['access_token'])}`
  const headers = { authorization, 'content-type': 'application/json' }
  const options = { method: 'POST', headers, body: JSON.stringify(body) }
  const response = await fetch(`${gateway.url}/v1/evaluation/${path}`, options)
  const text = await response.text()
  expect([response.ok, text]).toEqual([true, text])
  return JSON.parse(text) as Record<string, unknown>
}

beforeAll(async () => {
  const { sluice, tenant } = scene()
  judge = await startJudgeServer()
  onEnd(() => judge.close())
  const models = [{ model: 'grader', usd_per_million_input: 1, usd_per_million_output: 2 }]
  const connection = { name: 'judges', base_url: judge.baseUrl, api_key: 'sk-secret', models }
  const { connection_id } = await send('connections', connection)
  const config = {
    connection_id,
    model: 'grader',
    prompt: 'Is {{output}} helpful?',
    scale: { type: 'rubric', min: 1, max: 5 }
  }
  const draft = { name: 'helpful', kind: 'llm_judge', config, self_test: false }
  judgeId = String((await send('evaluators', draft))['evaluator_id'])
  viewer = await sluice.createTenant()
  await sluice.database.query(
    `update memberships set organization_id = $1, role = 'viewer'
      where user_id = (select user_id from users where email = $2)`,
    [tenant.organization_id, viewer.email]
  )
})

async function open(path: string, tenant = scene().tenant) {
  const watched = await openPage(scene())
  await signIn(watched.page, tenant)
  await watched.page.goto(`/console/evaluation/${path}`)
  await watched.page.getByRole('navigation', { name: 'Evaluation' }).waitFor()
  return watched
}

test('creates an evaluator and a previewed rule, and shows the run and the score', async () => {
  const { client } = scene()
  await client.accept({ input: 'x', output: 'a brief answer', domain: 'refunds' })
  await waitUntil('a stored decision', async () => {
    const { body } = await client.get('/v1/decisions?domain=refunds')
    return (body['data'] as object[]).length > 0
  })
  const watched = await open('evaluators')
  const { page } = watched
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Create evaluator' }).click()
  const definition = dialog.getByLabel('Definition (JSON)')
  await definition.fill('{ "name": "Bad", "kind": "regex", "config": { "pattern": "(" } }')
  await dialog.getByRole('button', { name: 'Create evaluator' }).click()
  await dialog.getByText('/config/pattern').waitFor()
  await dialog.getByText('/name', { exact: true }).waitFor()
  await definition.fill('{ "name": ')
  await dialog.getByRole('button', { name: 'Create evaluator' }).click()
  await dialog.getByText('The text is not JSON').waitFor()
  await definition.fill(
    '{ "name": "brief", "kind": "heuristic", "config": { "check": "length", "max": 40 } }'
  )
  await dialog.getByRole('button', { name: /^Test on/ }).click()
  await dialog.getByText(/The output has 14 characters/).waitFor()
  await dialog.getByRole('button', { name: 'Create evaluator' }).click()
  await page.getByRole('link', { name: 'brief', exact: true }).waitFor()

  await page.getByRole('link', { name: 'rules', exact: true }).click()
  await page.getByRole('button', { name: 'Create rule' }).click()
  await dialog.getByLabel('Name').fill('brief refunds')
  await dialog.getByLabel('brief', { exact: true }).check()
  await dialog.getByLabel('Terms (JSON)').fill('{ "match": { "domains": ["refunds*"] } }')
  expect(await dialog.getByRole('button', { name: 'Create rule' }).isDisabled()).toBe(true)
  await dialog.getByRole('button', { name: 'Preview' }).click()
  await dialog.getByText('Estimated runs per day').waitFor()
  expect(await dialog.getByText('Matched in 7 days').locator('xpath=../dd').innerText()).toBe('1')
  await dialog.getByRole('button', { name: 'Create rule' }).click()
  await page.getByRole('rowheader', { name: 'brief refunds' }).waitFor()

  const id = await waitUntil('an evaluated decision', async () => {
    const sent = await client.accept({ input: 'x', output: 'brief', domain: 'refunds' })
    const { body } = await client.get(`/v1/evaluation/${sent}?wait=20&until=evaluated`)
    return JSON.stringify(body['plan']).includes('brief refunds') && sent
  })
  await page.getByRole('link', { name: 'runs', exact: true }).click()
  await page.getByLabel('Rule id').selectOption('brief refunds')
  await page.waitForURL(/rule_id=rul_/)
  const link = page.getByRole('link', { name: id.slice(-12) })
  // The previous rows stay until the rows of the rule are loaded.
  await waitUntil('the run of the rule alone', async () => (await link.count()) === 1)
  await link.click()
  await page.getByRole('cell', { name: 'brief 5' }).waitFor()
  await page.goBack()
  await waitUntil('the run of the rule again', async () => (await link.count()) === 1)
  expect(await page.getByRole('row', { name: /not_refusal/ }).count()).toBe(0)

  await page.getByRole('link', { name: 'evaluators', exact: true }).click()
  await page.getByRole('link', { name: 'brief', exact: true }).click()
  await page.getByRole('button', { name: 'Create version' }).click()
  const text = await definition.inputValue()
  await definition.fill(text.replace('"max": 40', '"max": 50'))
  await dialog.getByRole('button', { name: 'Create version' }).click()
  await page.locator('del', { hasText: '"max": 40' }).waitFor()
  await page.locator('ins', { hasText: '"max": 50' }).waitFor()
  // The browser reports the 422 for the rejected definition as an error.
  expectNoFlaws({ flaws: watched.flaws.filter((flaw) => !flaw.includes('status of 422')) })
})

test('shows why a decision has no score, and counts that add up for each rule', async () => {
  const { client, sluice } = scene()
  const evaluators = [{ evaluator_id: judgeId }]
  await send('rules', { name: 'unsampled', evaluators, sampling: { rate: 0 } })
  await send('rules', { name: 'poor', evaluators, budget: { calls_per_day: 0 } })
  await send('rules', { name: 'elsewhere', evaluators, match: { domains: ['elsewhere'] } })
  await send('rules', { name: 'judged', evaluators })
  const reasonsOf = async (sent: string): Promise<string> => {
    const { body } = await client.get(`/v1/evaluation/${sent}`)
    return JSON.stringify(body['plan'])
  }
  judge.behave('bad_request')
  const failed = await waitUntil('a failed run', async () => {
    const sent = await client.accept({ input: 'x', output: 'an answer', domain: 'why' })
    await client.get(`/v1/evaluation/${sent}?wait=20&until=evaluated`)
    return (await reasonsOf(sent)).includes('judged') && sent
  })
  const { page } = await open('rules')
  await page.goto(`/console/decisions/${failed}`)
  const rowOf = (name: string) => page.getByRole('row', { name: new RegExp(`^${name} `) })
  await rowOf('elsewhere').getByText('The domain of the decision does not match').waitFor()
  await rowOf('unsampled').getByText('The decision is not in the sample of the rule.').waitFor()
  await rowOf('poor').getByText('The budget of the rule was exhausted.').waitFor()
  await rowOf('judged').getByText('The provider returned an error.').waitFor()

  judge.behave('unauthorized')
  const blocked = await client.accept({ input: 'x', output: 'an answer', domain: 'why' })
  await waitUntil('a blocked run', async () => (await reasonsOf(blocked)).includes('blocked'))
  await page.goto(`/console/decisions/${blocked}`)
  await rowOf('judged').getByText('The provider rejected the credentials').waitFor()
  const expired = await client.accept({ input: 'x', output: 'an answer', domain: 'why' })
  await waitUntil('the run to be planned', async () =>
    (await reasonsOf(expired)).includes('judged')
  )
  await sluice.database.query('update pending_runs set expires_at = now() where decision_id = $1', [
    expired
  ])
  await page.goto(`/console/decisions/${expired}`)
  await rowOf('judged').getByText('The run expired before it could start.').waitFor()
  await page.goto('/console/evaluation/connections')
  await page.getByText('The provider rejected the credentials').waitFor()
  await page.getByRole('cell', { name: 'open', exact: true }).waitFor()

  await page.goto('/console/evaluation/rules')
  const judged = page.getByRole('row', { name: /^judged / })
  const counts = await waitUntil('the counts of the rule', async () => {
    const texts = await judged.getByRole('cell').allInnerTexts()
    return texts[3] === '3' && texts[7] === '1' && texts.slice(4, 10).map(Number)
  })
  // Scored, failed, skipped, expired, canceled and pending.
  expect(counts).toEqual([0, 1, 0, 1, 0, 1])
})

test('counts the runs before it replays them, and can cancel a waiting run', async () => {
  const { page } = await open('runs?status=failed')
  const dialog = page.getByRole('dialog')
  await page.getByRole('button', { name: 'Replay' }).click()
  const replay = dialog.getByRole('button', { name: 'Replay' })
  expect(await replay.isDisabled()).toBe(true)
  await dialog.getByRole('button', { name: 'Dry run' }).click()
  const valueOf = (name: string) => dialog.getByText(name, { exact: true }).locator('xpath=../dd')
  expect(await valueOf('Dry run').innerText()).toBe('yes')
  expect(Number(await valueOf('Planned').innerText())).toBeGreaterThan(0)
  expect(await page.getByText('replayed', { exact: true }).count()).toBe(0)
  await replay.click()
  await page.getByText('replayed', { exact: true }).first().waitFor()
  expect(await valueOf('Dry run').innerText()).toBe('no')
  await page.keyboard.press('Escape')

  await page.getByLabel('Status', { exact: true }).selectOption('blocked')
  await page.getByRole('button', { name: 'Cancel run' }).first().click()
  await dialog.getByRole('button', { name: 'Cancel run' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByLabel('Status', { exact: true }).selectOption('canceled')
  await page.getByText('A user canceled the run.').first().waitFor()
})

test('disables all actions for a viewer, and the server rejects them', async () => {
  const { page } = await open('rules', viewer)
  for (const path of ['rules', `evaluators/${judgeId}`, 'runs', 'connections', 'health']) {
    await page.goto(`/console/evaluation/${path}`)
    const actions = page.locator('main header button, main .row-actions button')
    await actions.first().waitFor()
    for (const button of await actions.all()) {
      expect(await button.getAttribute('aria-disabled')).toBe('true')
      expect(await button.getAttribute('title')).toMatch(/^Requires the role (member|admin)/)
    }
    await actions.first().click({ force: true })
    expect(await page.getByRole('dialog').count()).toBe(0)
  }
  const { client, gateway } = scene()
  const { body } = await client.login(viewer.email, viewer.password)
  const headers = { authorization: `Bearer ${String(body['access_token'])}` }
  const url = `${gateway.url}/v1/evaluation/rules/default`
  expect((await fetch(url, { method: 'DELETE', headers })).status).toBe(403)
})

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test('no page violates WCAG 2.2 AA or the Content-Security-Policy', async () => {
    const watched = await openPage(scene(), { colorScheme })
    const { page } = watched
    await signIn(page, scene().tenant)
    for (const path of paths) {
      await page.goto(`/console/evaluation/${path}`)
      await page.locator('main table, main dl').first().waitFor()
      expect([path, await violationsOf(page)]).toEqual([path, []])
      const buttons = page.locator('main header button')
      if ((await buttons.count()) === 0) continue
      await buttons.first().click()
      await page.getByRole('dialog').waitFor()
      expect([path, 'dialog', await violationsOf(page)]).toEqual([path, 'dialog', []])
    }
    expectNoFlaws(watched)
  })
})
