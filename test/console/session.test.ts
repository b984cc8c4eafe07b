/** Tests the session of the console, its settings and the size of its files, in a browser. */
import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, test } from '@jest/globals'
import { waitUntil } from '../support/wait-until.ts'
import { expectNoFlaws, openPage, useConsoleScene } from './console-scene.ts'
import { signIn } from './sign-in.ts'

const scene = useConsoleScene({ withConsumers: false })
const firstLoadBytesMax = 150_000

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

test('two tabs refresh one after the other, and both stay signed in', async () => {
  const { page, context } = await openPage(scene())
  await signIn(page, scene().tenant)
  const other = await openPage(scene(), { context })
  let running = 0
  let most = 0
  let refreshes = 0
  await context.route('**/v1/auth/refresh', async (route) => {
    running += 1
    refreshes += 1
    most = Math.max(most, running)
    const response = await route.fetch()
    running -= 1
    await route.fulfill({ response })
  })
  await Promise.all([page.reload(), other.page.goto('/console/decisions')])
  await page.getByRole('heading', { name: 'Decisions' }).waitFor()
  await other.page.getByRole('heading', { name: 'Decisions' }).waitFor()
  expect([most, refreshes]).toEqual([1, 2])
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
  await page.getByLabel('verdict').selectOption('pass')
  await waitUntil('the second request', () => refused === 2)
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

test('the first load is small and takes few requests', async () => {
  const { page } = await openPage(scene())
  await page.goto('/console/')
  await page.getByLabel('Email').waitFor()
  const loaded =
    "performance.getEntriesByType('resource').filter(({ name }) => /assets/.test(name))"
  const names = await page.evaluate<string[]>(`${loaded}.map(({ name }) => name)`)
  expect(names.length).toBeLessThanOrEqual(3)
  const sizes = names.map((name) => statSync(`console/dist/assets/${basename(name)}.gz`).size)
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  expect(bytes).toBeGreaterThan(20_000)
  expect(bytes).toBeLessThanOrEqual(firstLoadBytesMax)
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
