/** Tests that the URL holds the whole state of the list, in a browser. */
import { isDeepStrictEqual } from 'node:util'
import { beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { storeAgentUsage } from '../support/agent-usage.ts'
import { waitUntil } from '../support/wait-until.ts'
import { expectNoFlaws, openPage, useConsoleScene } from './console-scene.ts'
import { signIn } from './sign-in.ts'

const scene = useConsoleScene({ withConsumers: false })

beforeAll(async () => {
  const { sluice, tenant } = scene()
  const decisions = ['even', 'odd'].map((agent_id) => ({ agent_id, received_at: new Date() }))
  await storeAgentUsage(sluice.database, tenant.organization_id, decisions)
})

/** Waits until the list shows a state. */
async function expectState(page: Page, expected: object): Promise<void> {
  await waitUntil(JSON.stringify(expected), async () => {
    const shown = {
      query: await page.getByLabel('Query').inputValue(),
      range: await page.getByLabel('Time range').inputValue(),
      hasOdd: (await page.getByRole('gridcell', { name: 'odd', exact: true }).count()) > 0,
      hasSize: (await page.getByRole('columnheader', { name: 'Size' }).count()) > 0,
      isOpen: (await page.getByRole('complementary', { name: 'Decision' }).count()) > 0
    }
    return isDeepStrictEqual(shown, expected)
  })
}

test('restores its state from the URL, and Back undoes exactly the last change', async () => {
  const watched = await openPage(scene())
  const { page, context } = watched
  await signIn(page, scene().tenant)
  let state = { query: '', range: '-7d', hasOdd: true, hasSize: false, isOpen: false }
  await expectState(page, state)
  const states = [state]
  const change = async (act: () => Promise<unknown>, changed: Partial<typeof state>) => {
    await act()
    state = { ...state, ...changed }
    await expectState(page, state)
    states.push(state)
  }
  const query = page.getByLabel('Query')
  await query.fill('agent:even')
  await change(() => query.press('Enter'), { query: 'agent:even', hasOdd: false })
  const range = page.getByLabel('Time range')
  await change(() => range.selectOption('Last 24 hours'), { range: '-24h' })
  await page.getByRole('button', { name: 'Columns' }).click()
  await change(() => page.getByLabel('Size').check(), { hasSize: true })
  await page.keyboard.press('Escape')
  const cell = page.getByRole('gridcell', { name: 'even' }).first()
  await change(() => cell.click(), { isOpen: true })
  const url = page.url()

  await page.reload()
  await expectState(page, state)
  const other = await openPage(scene(), { context })
  await other.page.goto(url)
  await expectState(other.page, state)
  await page.getByRole('complementary').getByRole('link', { name: 'Open' }).click()
  await page.getByRole('heading', { name: 'Decision', exact: true }).waitFor()
  await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').click()
  await expectState(page, state)
  expect(page.url()).toBe(url)

  const steps = states.slice(0, -1)
  for (const step of [state, ...steps.toReversed()]) {
    // The first step goes back twice: from the list that the breadcrumb opened, and from the
    // decision.
    await page.goBack()
    if (step === state) await page.goBack()
    await expectState(page, step)
  }
  for (const step of states.slice(1)) {
    await page.goForward()
    await expectState(page, step)
  }
  expectNoFlaws(watched)
  expectNoFlaws(other)
})
