/** Tests the session of the console, its settings and the size of its files, in a browser. */
import { readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from '@jest/globals'
import { sessionSeconds } from '../../platform/security/session-token.ts'
import { storeAgentUsage } from '../support/agent-usage.ts'
import { waitUntil } from '../support/wait-until.ts'
import { expectNoFlaws, openPage, useConsoleScene } from './console-scene.ts'
import { signIn } from './sign-in.ts'

const scene = useConsoleScene({ withConsumers: false })
const assets = 'console/dist/assets'
const firstLoadBytesMax = 150_000
const bytesMax = 200_000
/** Maximum number of requests up to and including the one that returns the first row. */
const requestsMax = 6

/** Returns the sum of the sizes of files after gzip, in bytes. */
function sizeOf(names: readonly string[]): number {
  return names.reduce((sum, name) => sum + statSync(join(assets, `${basename(name)}.gz`)).size, 0)
}

test('keeps the session over a reload, stores no token, and ends in all tabs', async () => {
  const watched = await openPage(scene())
  const { page, context } = watched
  await signIn(page, scene().tenant)
  await page.reload()
  await page.getByRole('heading', { name: 'Decisions' }).waitFor()
  const kept = await page.evaluate('JSON.stringify({ ...localStorage, ...sessionStorage })')
  expect(kept).not.toMatch(/ey[A-Za-z0-9]|sl[rk]_/)
  const [cookie] = await context.cookies(`${scene().gateway.url}/v1/auth/refresh`)
  expect(cookie).toMatchObject({ httpOnly: true, sameSite: 'Strict', path: '/v1/auth' })

  const other = await openPage(scene(), { context })
  await other.page.goto('/console/decisions')
  await other.page.getByRole('heading', { name: 'Decisions' }).waitFor()
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.getByLabel('Password').waitFor()
  await other.page.getByText('You signed out.').waitFor()
  await page.reload()
  await page.getByLabel('Password').waitFor()
  expect(await context.cookies(`${scene().gateway.url}/v1/auth/refresh`)).toEqual([])
  expectNoFlaws(watched)
})

/** Opens the list in two tabs. A test can move the clock of a tab by setting `window.aheadMs`. */
async function openTwoTabs() {
  const first = await openPage(scene())
  const { context } = first
  await context.addInitScript(
    'window.aheadMs = 0; const { now } = Date; Date.now = () => now() + aheadMs'
  )
  await signIn(first.page, scene().tenant)
  const second = await openPage(scene(), { context })
  await second.page.goto('/console/decisions')
  await second.page.locator('.shell').waitFor()
  return { context, tabs: [first, second] as const }
}

test('two tabs cross the expiry of their tokens together, and both stay signed in', async () => {
  const { context, tabs } = await openTwoTabs()
  const isWaiting = () =>
    tabs[0].page.evaluate<boolean>(
      'navigator.locks.query().then((locks) => locks.pending.length > 0)'
    )
  let running = 0
  let most = 0
  let refreshes = 0
  await context.route('**/v1/auth/refresh', async (route) => {
    running += 1
    refreshes += 1
    most = Math.max(most, running)
    const isFirst = refreshes % 2 === 1
    if (isFirst) await waitUntil('the other tab', async () => running > 1 || (await isWaiting()))
    const response = await route.fetch()
    running -= 1
    await route.fulfill({ response })
  })
  for (const verdict of ['pass', 'fail']) {
    for (const { page } of tabs) await page.evaluate(`aheadMs += ${sessionSeconds * 1000}`)
    const statuses = tabs.map(async ({ page }) => {
      const searched = page.waitForResponse('**/v1/decisions/search')
      await page.getByLabel('verdict').selectOption(verdict)
      return (await searched).status()
    })
    expect(await Promise.all(statuses)).toEqual([200, 200])
  }
  expect([most, refreshes]).toEqual([1, 4])
  for (const tab of tabs) expectNoFlaws(tab)
})

test('a reused refresh token signs out the thief and all tabs, with a sentence', async () => {
  const { context, tabs } = await openTwoTabs()
  const [first, second] = tabs
  const url = `${scene().gateway.url}/v1/auth/refresh`
  const refresh = async (refresh_token = ''): Promise<string | undefined> => {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ refresh_token })
    const response = await fetch(url, { method: 'POST', headers, body })
    return ((await response.json()) as { refresh_token?: string }).refresh_token
  }
  const [cookie] = await context.cookies(url)
  // A second refresh shows that the first one was not the retry of another tab.
  const stolen = await refresh(await refresh(cookie?.value))
  expect(stolen).toBeDefined()
  await first.page.reload()
  await first.page.getByText('The refresh token was used before').waitFor()
  await second.page.getByLabel('verdict').selectOption('fail')
  await second.page.getByRole('dialog').getByText('its session has ended').waitFor()
  expect(await refresh(stolen)).toBeUndefined()
})

test('refreshes a rejected token once, and asks for the password if that fails', async () => {
  const { page } = await openPage(scene())
  await signIn(page, scene().tenant, '/console/decisions?from=-24h')
  const problem = { title: 'The session is not valid', detail: 'It expired.', retryable: false }
  const body = JSON.stringify({ ...problem, code: 'session_invalid', status: 401 })
  let refused = 0
  await page.route('**/v1/decisions/search', async (route) => {
    refused += 1
    await (refused === 1 ? route.fulfill({ status: 401, body }) : route.fallback())
  })
  const answered = page.waitForResponse(
    (response) => response.url().endsWith('/v1/decisions/search') && response.status() === 200
  )
  await page.getByLabel('verdict').selectOption('pass')
  await answered
  expect(refused).toBe(2)
  await page.getByRole('heading', { name: 'Decisions' }).waitFor()

  await page.context().clearCookies()
  refused = 0
  await page.getByLabel('verdict').selectOption('fail')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Email').fill(scene().tenant.email)
  await dialog.getByLabel('Password').fill(scene().tenant.password)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(page.url()).toMatch(/from=-24h/)
  expect(page.url()).toMatch(/verdict/)
})

test('a wrong password shows the problem of the API', async () => {
  const { page } = await openPage(scene())
  await page.goto('/console/')
  await page.getByLabel('Email').fill(scene().tenant.email)
  await page.getByLabel('Password').fill('wrong password')
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByText('Wrong email or password').waitFor()
})

test('the first load and all files are small, and few requests precede the list', async () => {
  const { gateway, sluice, tenant } = scene()
  await storeAgentUsage(sluice.database, tenant.organization_id, [{ received_at: new Date() }])
  const { page } = await openPage(scene())
  await signIn(page, tenant)
  // A page that is replaced can still send requests, so this one ends first.
  await page.goto('about:blank')
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url().replace(gateway.url, '')))
  await page.goto('/console/decisions')
  await page.getByRole('gridcell').first().waitFor()
  const first = requests.filter((url) => url.includes('/assets/'))
  expect(first.length).toBeGreaterThan(1)
  expect(sizeOf(first)).toBeLessThanOrEqual(firstLoadBytesMax)
  const all = readdirSync(assets).filter((name) => /[.](css|js)$/.test(name))
  expect(sizeOf(all)).toBeLessThanOrEqual(bytesMax)
  expect(requests.slice(0, requestsMax)).toContain('/v1/decisions/search')
})

test('CONSOLE_ENABLED=false and GATEWAY_ROUTES=ingest serve no console', async () => {
  const { sluice, gateway } = scene()
  const others = await Promise.all([
    sluice.start('gateway', { CONSOLE_ENABLED: 'false' }),
    sluice.start('gateway', { GATEWAY_ROUTES: 'ingest' })
  ])
  const statuses = await Promise.all(
    [gateway, ...others].map(async ({ url }) => (await fetch(`${url}/console/`)).status)
  )
  expect(statuses).toEqual([200, 404, 404])
})

test('switching the organization shows the data of the other one', async () => {
  const { sluice, tenant } = scene()
  const other = await sluice.createTenant()
  await sluice.database.query(
    `insert into memberships (organization_id, user_id, role)
     select $1, user_id, 'viewer' from users where email = $2`,
    [other.organization_id, tenant.email]
  )
  const watched = await openPage(scene())
  const { page } = watched
  await signIn(page, tenant)
  const select = page.getByLabel('Organization')
  await waitUntil('the organization', async () => {
    return (await select.inputValue()) === tenant.organization_id
  })
  const switched = page.waitForResponse('**/v1/auth/organization/switch')
  await select.selectOption(other.organization_id)
  await switched
  // The page reads everything again, for the other organization.
  await waitUntil('the other organization', async () => {
    return (await select.inputValue()) === other.organization_id
  })
  await page.reload()
  await waitUntil('the same organization', async () => {
    return (await select.inputValue()) === other.organization_id
  })
  expectNoFlaws(watched)
})
