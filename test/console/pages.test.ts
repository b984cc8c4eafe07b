/** Tests the pages in a browser: state in the URL, keyboard, accessibility and failures. */
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { waitUntil } from '../support/wait-until.ts'
import { violationsOf } from './axe.ts'
import { expectNoFlaws, openPage, signIn, useConsoleScene } from './console-scene.ts'

const scene = useConsoleScene()
const count = 130
let newest = ''

beforeAll(async () => {
  const { client } = scene()
  for (let index = 0; index < count; index++) {
    const agent_id = index % 2 === 0 ? 'even' : 'odd'
    newest = await client.accept({ input: { index }, output: `output ${index}`, agent_id })
  }
  await waitUntil('all decisions to be stored', async () => {
    const { body } = await client.get('/v1/decisions?count=exact&limit=1')
    return (body['meta'] as { count: { value: number } }).count.value >= count
  })
})

function rowsOf(page: Page) {
  return page.locator('[role=row][aria-selected]')
}

describe('the list', () => {
  test('reads no path of the API that a link names instead of a decision', async () => {
    const { page } = await openPage(scene())
    const read: string[] = []
    page.on('request', (request) => read.push(new URL(request.url()).pathname))
    await signIn(page, scene().tenant, '/console/decisions?peek=export')
    await page.getByText('No decision with this id exists').waitFor()
    expect(read).not.toContain('/v1/decisions/export')
  })

  test('says so if signing out fails, and stays signed in', async () => {
    const { page } = await openPage(scene())
    await signIn(page, scene().tenant)
    await page.route('**/v1/auth/logout', (route) => route.abort())
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Sluice cannot be reached').waitFor()
    await page.unroute('**/v1/auth/logout')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: /sign in/i }).waitFor()
  })

  test('restores its whole state from the URL, and Back undoes the last change', async () => {
    const watched = await openPage(scene())
    const { page, context } = watched
    await signIn(page, scene().tenant)
    await rowsOf(page).first().waitFor()
    await page.getByLabel('Query').fill('agent:even')
    await page.getByLabel('Query').press('Enter')
    await page.waitForURL(/q=agent/)
    await page.getByLabel('Time range').selectOption('Last 24 hours')
    await page.waitForURL(/from=-24h/)
    await page.getByRole('gridcell', { name: 'even' }).first().click()
    await page.waitForURL(/peek=/)
    await page.getByRole('complementary', { name: 'Decision' }).waitFor()
    const url = page.url()

    await page.reload()
    await page.getByRole('complementary', { name: 'Decision' }).waitFor()
    expect(await page.getByLabel('Query').inputValue()).toBe('agent:even')
    const other = await openPage(scene(), { context })
    await other.page.goto(url)
    await other.page.getByRole('complementary', { name: 'Decision' }).waitFor()
    await other.page.close()

    await page.goBack()
    await page.getByRole('complementary', { name: 'Decision' }).waitFor({ state: 'detached' })
    expect(page.url()).toContain('from=-24h')
    await page.goBack()
    expect(await page.getByLabel('Time range').inputValue()).toBe('-7d')
    await page.goBack()
    await waitUntil('an empty query', async () => {
      return (await page.getByLabel('Query').inputValue()) === ''
    })
    await page.goForward()
    await waitUntil('the query', async () => {
      return (await page.getByLabel('Query').inputValue()) === 'agent:even'
    })
    expectNoFlaws(watched)
  })

  test('explains a query that it cannot express and keeps the list', async () => {
    const { page } = await openPage(scene())
    await signIn(page, scene().tenant)
    await rowsOf(page).first().waitFor()
    const url = page.url()
    await page.getByLabel('Query').fill('agent:even colour:red -domain:x')
    await page.getByLabel('Query').press('Enter')
    await page.getByText('Unknown field colour.').waitFor()
    await page.getByText('the API cannot exclude values').waitFor()
    expect(await page.getByLabel('Query').inputValue()).toBe('agent:even colour:red -domain:x')
    expect(page.url()).toBe(url)
    expect(await rowsOf(page).count()).toBeGreaterThan(5)
  })

  test('is moved through with the keyboard and has few rows in the document', async () => {
    const watched = await openPage(scene())
    const { page } = watched
    await signIn(page, scene().tenant)
    await rowsOf(page).first().waitFor()
    await page.keyboard.press('j')
    expect(await page.locator('[aria-selected=true]').getAttribute('aria-rowindex')).toBe('2')
    await page.keyboard.press('End')
    await waitUntil('the last row', async () => {
      await page.keyboard.press('End')
      const last = page.locator('[aria-selected=true]')
      return Number(await last.getAttribute('aria-rowindex')) > count
    })
    expect(Number(await page.getByRole('grid').getAttribute('aria-rowcount'))).toBeGreaterThan(
      count
    )
    expect(await rowsOf(page).count()).toBeLessThanOrEqual(80)
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await page.waitForURL(/decisions\/[0-9a-f-]{36}/)
    expectNoFlaws(watched)
  })

  test('shows a problem with its request id, keeps the rows and retries', async () => {
    const { page } = await openPage(scene())
    await signIn(page, scene().tenant)
    await rowsOf(page).first().waitFor()
    const body = {
      ...{ title: 'The rate limit is exceeded', detail: 'Wait.', code: 'rate_limited' },
      ...{ status: 429, retryable: true, request_id: 'request-1' }
    }
    await page.route('**/v1/decisions/search', async (route) => {
      const headers = { 'retry-after': '1', 'content-type': 'application/problem+json' }
      await route.fulfill({ status: 429, headers, body: JSON.stringify(body) })
    })
    await page.getByLabel('verdict').selectOption('pass')
    await page.getByText('The rate limit is exceeded').waitFor()
    await page.getByText('request-1').waitFor()
    await page.unroute('**/v1/decisions/search')
    await page.getByRole('button', { name: 'Retry', exact: true }).click()
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  test('says that a filter matches nothing and removes a term', async () => {
    const { page } = await openPage(scene())
    await signIn(page, scene().tenant, '/console/decisions?q=agent:absent')
    await page.getByRole('button', { name: 'agent:absent ×' }).click()
    await rowsOf(page).first().waitFor()
  })
})

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test('no page violates WCAG 2.2 AA or the Content-Security-Policy', async () => {
    const watched = await openPage(scene(), { colorScheme })
    const { page } = watched
    await page.goto('/console/')
    await page.getByLabel('Email').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await signIn(page, scene().tenant)
    await rowsOf(page).first().waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('gridcell', { name: 'even' }).first().click()
    await page.getByRole('heading', { name: 'Evaluation' }).waitFor()
    await page.getByRole('heading', { name: 'Input' }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.goto(`/console/decisions/${newest}`)
    await page.getByRole('cell', { name: 'succeeded' }).first().waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.goto('/console/nothing')
    await page.getByRole('heading', { name: 'Page not found' }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    expectNoFlaws(watched)
  })
})

test('shows every time in the chosen zone', async () => {
  const { page } = await openPage(scene())
  await signIn(page, scene().tenant)
  const time = page.locator('.table time').first()
  const iso = (await time.getAttribute('datetime')) ?? ''
  expect(await time.innerText()).not.toContain(iso.slice(11, 19))
  await page.getByLabel('Time zone').selectOption('UTC')
  expect(await time.innerText()).toContain(iso.slice(11, 19))
  await page.getByText('Times in UTC').waitFor()
})
