/** Walks through the console with the keyboard only. */
import { expect, test } from '@jest/globals'
import type { Locator, Page } from 'playwright-core'
import { waitUntil } from '../support/wait-until.ts'
import { expectNoFlaws, openPage, useConsoleScene } from './console-scene.ts'

const scene = useConsoleScene()
const tabsMax = 80

/** Presses Tab until the control has the focus, which must be visible. */
async function tabTo(page: Page, control: Locator): Promise<void> {
  await control.waitFor()
  for (let tabs = 0; tabs < tabsMax; tabs += 1) {
    if ((await control.and(page.locator(':focus-visible')).count()) > 0) {
      const outline = await control.evaluate('(it) => getComputedStyle(it).outlineStyle')
      expect(outline).not.toBe('none')
      return
    }
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${control.toString()}.`)
}

async function press(page: Page, control: Locator, key = 'Enter'): Promise<void> {
  await tabTo(page, control)
  await page.keyboard.press(key)
}

function buttonIn(place: Page | Locator, name: string): Locator {
  return place.getByRole('button', { name, exact: true })
}

/** Opens a dialog, closes it with Escape, and expects the focus back on the button. */
async function expectFocusReturns(page: Page, opener: Locator): Promise<void> {
  await press(page, opener)
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  expect(await opener.and(page.locator(':focus')).count()).toBe(1)
}

async function signInByKeys(page: Page): Promise<void> {
  const { email, password } = scene().tenant
  await page.goto('/console/decisions')
  await tabTo(page, page.getByLabel('Email'))
  await page.keyboard.type(email)
  await tabTo(page, page.getByLabel('Password'))
  await page.keyboard.type(password)
  await page.keyboard.press('Enter')
  await page.locator('.shell').waitFor()
}

test('filters, opens a decision and copies its id with the keyboard only', async () => {
  const { client, tenant } = scene()
  for (const agent_id of ['first', 'second']) {
    const { status } = await client.ingest(tenant.api_key, { agent_id, input: 1, output: '4' })
    expect(status).toBe(202)
  }
  const watched = await openPage(scene())
  const { page } = watched
  await signInByKeys(page)
  await waitUntil('both decisions', async () => {
    await page.reload()
    await page.getByRole('row').first().waitFor()
    return (await page.locator('[data-id]').count()) === 2
  })

  await page.keyboard.press('/')
  expect(await page.getByLabel('Query').and(page.locator(':focus-visible')).count()).toBe(1)
  await page.keyboard.type('agent:second')
  await page.keyboard.press('Enter')
  await waitUntil('one decision', async () => (await page.locator('[data-id]').count()) === 1)
  const id = await page.locator('[data-id]').getAttribute('data-id')
  await tabTo(page, page.getByRole('grid'))
  await page.keyboard.press('ArrowDown')
  await page.getByRole('row', { selected: true }).waitFor()
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Decision', exact: true }).waitFor()

  await press(page, buttonIn(page, 'Copy id'))
  await buttonIn(page, 'Copied').waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(id)
  await expectFocusReturns(page, buttonIn(page, 'Give feedback'))
  expectNoFlaws(watched)
})

test('creates and revokes an API key with the keyboard only', async () => {
  const watched = await openPage(scene())
  const { page } = watched
  await signInByKeys(page)
  await press(page, page.getByRole('link', { name: 'Settings' }))
  const create = buttonIn(page, 'Create API key')
  await expectFocusReturns(page, create)
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog')
  await tabTo(page, dialog.getByLabel('Name', { exact: true }))
  await page.keyboard.type('by keyboard')
  await page.keyboard.press('Enter')
  await press(page, buttonIn(dialog, 'Copy the key'))
  await press(page, dialog.getByLabel('I have stored it'), 'Space')
  await press(page, buttonIn(dialog, 'Close'))
  await dialog.waitFor({ state: 'detached' })
  expect(await create.and(page.locator(':focus')).count()).toBe(1)

  const row = page.getByRole('row').filter({ hasText: 'by keyboard' })
  await expectFocusReturns(page, buttonIn(row, 'Revoke'))
  await page.keyboard.press('Enter')
  await press(page, buttonIn(dialog, 'Revoke'))
  await row.getByText('revoked').waitFor()
  expectNoFlaws(watched)
})
