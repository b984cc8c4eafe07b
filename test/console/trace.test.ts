/** Tests the trace on the page of a decision, in a browser. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { expectNoFlaws, openPage, useConsoleScene } from './console-scene.ts'
import { signIn } from './sign-in.ts'
import { violationsOf } from './violations.ts'

const scene = useConsoleScene()
const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'
const [agent, call, part] = [randomUUID(), randomUUID(), randomUUID()]

beforeAll(async () => {
  const { client } = scene()
  const send = (decision_id: string, metadata: object, more: object = {}) =>
    client.accept({ decision_id, metadata, input: 1, output: 'done', ...more })
  const ofCall = { trace_id, parent_decision_id: agent, kind: 'generation', latency_ms: 1234.5 }
  await send(part, { trace_id, parent_decision_id: call, kind: 'tool', name: 'find order' })
  await send(call, { ...ofCall, name: 'chat' }, { input_tokens: 31, output_tokens: 1 })
  await send(agent, { trace_id, kind: 'agent', name: 'refund agent', error: 'timeout' })
  for (const id of [part, call, agent]) {
    await client.get(`/v1/decisions/${id}?wait=30&until=evaluated`)
  }
})

/** Returns the lines of the trace, each with its level, and the text of the current one. */
async function traceOf(page: Page) {
  const trace = page.getByRole('region', { name: 'Trace' })
  await trace.waitFor()
  const lines = await trace.getByRole('listitem').all()
  const texts = lines.map(async (line) => {
    const level = await line.getAttribute('aria-level')
    return `${String(level)} ${(await line.innerText()).replaceAll(/\s+/g, ' ')}`
  })
  const current = await trace.locator('[aria-current=true]').allInnerTexts()
  return { texts: await Promise.all(texts), current: current.map((text) => text.split(' ')[0]) }
}

test('shows the agent above its calls, with links to each of them', async () => {
  const watched = await openPage(scene())
  const { page } = watched
  await signIn(page, scene().tenant, `/console/decisions/${call}?from=-24h`)
  const texts = [
    '1 refund agent agent pass error',
    '2 chat generation pass 1,234.5 ms · 31 input tokens · 1 output token',
    '3 find order tool pass'
  ]
  expect(await traceOf(page)).toEqual({ texts, current: ['chat'] })
  expect(await violationsOf(page)).toEqual([])

  const links = page.getByRole('region', { name: 'Trace' }).getByRole('link')
  expect(await links.allInnerTexts()).toEqual(['refund agent', 'find order'])
  await links.first().click()
  await page.waitForURL(`**/decisions/${agent}?from=-24h`)
  await page.getByRole('link', { name: 'chat', exact: true }).waitFor()
  expect(await traceOf(page)).toEqual({ texts, current: ['refund'] })
  expectNoFlaws(watched)
})

test('finds the decisions of the trace, and shows no trace if there is none', async () => {
  const { client, tenant } = scene()
  const alone = await client.accept({ input: 2, output: 'alone', session_id: 's' })
  await client.get(`/v1/decisions/${alone}?wait=30&until=evaluated`)
  const watched = await openPage(scene())
  const { page } = watched
  await signIn(page, tenant)
  await page.getByLabel('Query').fill(`trace:${trace_id} parent:${agent}`)
  await page.getByLabel('Query').press('Enter')
  await page.getByRole('gridcell', { name: 'alone' }).waitFor({ state: 'detached' })
  const row = page.locator('[role=row][data-id]')
  await row.waitFor()
  expect(await row.getAttribute('data-id')).toBe(call)
  await page.goto(`/console/decisions/${alone}`)
  await page.getByText('This decision', { exact: true }).waitFor()
  expect(await page.getByRole('heading', { name: 'Trace' }).count()).toBe(0)
  expectNoFlaws(watched)
})
