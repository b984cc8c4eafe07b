/** Tests the pages of the organization and of accounts in a browser, using the links in emails. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { freePort } from '../../stack/ports.ts'
import { emailsTo } from '../integration/api/account-scene.ts'
import { startApplication } from '../support/application.ts'
import type { Tenant } from '../support/installation.ts'
import { runWell } from '../support/run-to-end.ts'
import { installSdk } from '../support/sdk/packed-sdk.ts'
import { waitUntil } from '../support/wait-until.ts'
import { copiedBy, expectNoFlaws, openPage, useConsoleScene } from './console-scene.ts'
import { signIn } from './sign-in.ts'
import { violationsOf } from './violations.ts'

function createFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `sluice-${name}-`))
  afterAll(() => rmSync(folder, { recursive: true }))
  return folder
}

const mailFolder = createFolder('mail')
const sdkFolder = createFolder('sdk')
const publicUrl = 'http://sluice.example.com'
const settings = {
  ...{ REGISTRATION: 'invite', PUBLIC_URL: publicUrl },
  MAIL_URL: pathToFileURL(mailFolder).href
}
const scene = useConsoleScene({ withConsumers: false, settings })
const accountPages = [
  ...['forgot-password', 'reset-password', 'accept-invite'],
  ...['register', 'confirm-registration', 'verify-email']
]
const newPassword = 'a longer horse with another staple'

/** Returns the path and the token of the link in the first email to an address. */
async function linkTo(email: string): Promise<string> {
  const [first] = await waitUntil('the email', async () => {
    const emails = await emailsTo({ mailFolder }, email)
    return emails.length > 0 && emails
  })
  const link = /^ {2}http:\/\/[^/]+(\/console\/[a-z-]+#sl[a-z]_[\w-]{43})$/m
  // Mail encodings break long lines.
  return link.exec(first?.text.replaceAll('=\n', '') ?? '')?.[1] ?? 'no link'
}

/** Presses a button, fills in the dialog, and presses the button of the same name in it. */
async function act(page: Page, name: string, fields: Readonly<Record<string, string>> = {}) {
  await page.getByRole('button', { name, exact: true }).click()
  const dialog = page.getByRole('dialog')
  for (const [label, value] of Object.entries(fields)) {
    if (label === 'Role') await dialog.getByLabel(label).selectOption(value)
    else await dialog.getByLabel(label, { exact: true }).fill(value)
  }
  await dialog.getByRole('button', { name, exact: true }).click()
}

/** Checks that the page and the browser's storage and history contain no token from an email. */
async function expectNoToken(page: Page): Promise<void> {
  const kept = await page.evaluate<string>(
    'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href])'
  )
  const devtools = await page.context().newCDPSession(page)
  const { entries } = await devtools.send('Page.getNavigationHistory')
  expect(kept + entries.map(({ url }) => url).join('')).not.toMatch(/sl[a-z]_/)
  expect(await page.content()).not.toMatch(/sl[a-z]_[\w-]{43}/)
}

async function idOf({ email }: Tenant): Promise<string> {
  const select = 'select user_id from users where email = $1'
  const rows = await scene().sluice.database.query<{ user_id: string }>(select, [email])
  return rows[0]?.user_id ?? ''
}

test('a new user registers, runs the Node snippet and sees the first score', async () => {
  const { sluice } = scene()
  const ports = [await freePort(), await freePort()] as const
  const open = { REGISTRATION: 'open', PUBLIC_URL: `http://127.0.0.1:${ports[0]}` }
  const environment = { ...sluice.environment, ...settings, ...open }
  const [gateway] = await Promise.all([
    startApplication('gateway', { environment, ports }),
    sluice.start('storage'),
    sluice.start('evaluation'),
    installSdk(sdkFolder)
  ])
  const watched = await openPage({ ...scene(), gateway })
  const { page } = watched
  const email = `${randomUUID()}@example.com`
  await page.goto('/console/')
  await page.getByRole('link', { name: 'Register an organization' }).click()
  await page.getByLabel('Organization').fill('New')
  await page.getByLabel('Email').fill(email)
  await page.getByLabel('Password').fill(newPassword)
  await page.getByRole('button', { name: 'Register' }).click()
  await page.getByText('An email was sent to this address.').waitFor()
  await page.goto(await linkTo(email))
  await page.getByLabel('Password').fill(newPassword)
  let loads = 0
  page.on('load', () => (loads += 1))
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByRole('heading', { name: 'Welcome to Sluice' }).waitFor()
  await expectNoToken(page)

  await page.getByRole('button', { name: 'Create API key' }).click()
  await page.getByLabel('Name', { exact: true }).fill('first')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Create API key' }).click()
  await dialog.getByRole('button', { name: '.env' }).click()
  const variables = await dialog.getByText(/^export SLUICE_BASE_URL/).textContent()
  await dialog.getByLabel('I have stored it').check()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'TypeScript' }).click()
  writeFileSync(join(sdkFolder, 'send.ts'), await copiedBy(page, 'Copy the code'))
  await page.getByText('2 of 5 steps are done.').waitFor()
  const command = `${variables}"${process.execPath}" --no-warnings send.ts`
  expect(await runWell('sh', ['-c', command], { cwd: sdkFolder })).toContain('sent: 1')
  await page.getByText('All steps are done.').waitFor()
  expect(await page.locator('.steps .done').count()).toBe(5)
  await page.getByRole('link', { name: 'Open the newest decision' }).click()
  const plan = page.getByRole('region', { name: 'Evaluation plan' })
  await plan.getByRole('cell', { name: 'not_refusal 1 pass' }).waitFor()
  expect(loads).toBe(0)
  expectNoFlaws(watched)
})

test('an invited viewer joins, becomes an admin and is removed, all audited', async () => {
  const email = `${randomUUID()}@example.com`
  const [watched, guest] = [await openPage(scene()), await openPage(scene())]
  const { page } = watched
  const owner = await scene().sluice.createTenant()
  await signIn(page, owner, '/console/settings/members')
  await act(page, 'Invite', { Email: email, Role: 'viewer' })
  const shown = await copiedBy(page, 'Copy the link')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByRole('region', { name: 'Open invites' }).getByText(email).waitFor()
  const link = await linkTo(email)
  expect(shown).toBe(scene().gateway.url + link)

  await guest.page.goto(link)
  await guest.page.getByLabel('Email').fill(email)
  await expectNoToken(guest.page)
  await guest.page.getByLabel('Password').fill(newPassword)
  await guest.page.getByRole('button', { name: 'Create the account' }).click()
  await guest.page.getByRole('heading', { name: 'Welcome to Sluice' }).waitFor()
  await expectNoToken(guest.page)
  await guest.page.getByRole('link', { name: 'Settings' }).click()
  await guest.page.getByRole('link', { name: 'members' }).click()
  await guest.page.getByText('You need the role admin or higher').waitFor()
  const invite = guest.page.getByRole('button', { name: 'Invite' })
  expect(await invite.getAttribute('aria-disabled')).toBe('true')

  await page.reload()
  const row = page.getByRole('row').filter({ hasText: email })
  await row.getByRole('button', { name: 'Change role' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Role').selectOption('admin')
  await dialog.getByRole('button', { name: 'Change role' }).click()
  await row.getByRole('cell', { name: 'admin', exact: true }).waitFor()
  await guest.page.reload()
  await guest.page.getByRole('link', { name: 'audit' }).click()
  const change = guest.page.getByRole('row').filter({ hasText: 'member.role_changed' })
  await change.getByRole('link', { name: owner.email }).waitFor()

  await row.getByRole('button', { name: 'Remove' }).click()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await row.waitFor({ state: 'detached' })
  await guest.page.reload()
  await guest.page.getByRole('heading', { name: 'Sign in to Sluice' }).waitFor()

  await page.getByRole('link', { name: 'audit' }).click()
  const entries = page.getByRole('region', { name: 'Entries' })
  await entries.getByText('member.removed').waitFor()
  await page.getByLabel('action').selectOption('invite')
  await entries.getByText('member.removed').waitFor({ state: 'detached' })
  await entries.getByRole('link', { name: 'invite.accepted' }).click()
  await entries.getByText('invite.created').waitFor({ state: 'detached' })
  expect(page.url()).toMatch(/action=invite\.accepted/)
  await page.goBack()
  await entries.getByText('invite.created').waitFor()
  expectNoFlaws(watched)
})

test('a signed-in user joins with an invite, unless it was replaced', async () => {
  const { sluice } = scene()
  const [owner, invited] = [await sluice.createTenant(), await sluice.createTenant()]
  const [watched, { page: other }] = [await openPage(scene()), await openPage(scene())]
  const { page } = watched
  await signIn(page, owner, '/console/settings/members')
  const links: string[] = []
  while (links.length < 2) {
    await act(page, 'Invite', { Email: invited.email })
    links.push(new URL(await copiedBy(page, 'Copy the link')).hash)
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  }
  await signIn(other, invited)
  await other.goto(`/console/accept-invite${links[0]}`)
  await other.getByText(`You are signed in as ${invited.email}.`).waitFor()
  await other.getByRole('button', { name: 'Accept' }).click()
  await other.getByText('No open invite for your email has this token.').waitFor()
  await other.goto(`/console/accept-invite${links[1]}`)
  await other.getByText('No open invite').waitFor({ state: 'detached' })
  await other.getByRole('button', { name: 'Accept' }).click()
  const select = other.getByLabel('Organization')
  await waitUntil('the organization', async () => {
    return (await select.inputValue()) === owner.organization_id
  })
  await expectNoToken(other)
  expectNoFlaws(watched)
})

test('the link in an email to reset a password works once', async () => {
  const tenant = await scene().sluice.createTenant()
  const { page } = await openPage(scene())
  await page.goto('/console/')
  await page.getByRole('link', { name: 'Forgot your password?' }).click()
  await page.getByLabel('Email').fill(tenant.email)
  await page.getByRole('button', { name: 'Send a link' }).click()
  await page.getByText('If this address has an account').waitFor()

  const link = await linkTo(tenant.email)
  await page.goto(link)
  await page.getByLabel('New password').fill('short')
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.locator('.field-error').waitFor()
  await page.getByLabel('New password').fill(newPassword)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByText('all your sessions have ended').waitFor()
  await expectNoToken(page)
  await page.goto(link)
  await page.getByLabel('New password').fill(newPassword)
  await page.getByRole('button', { name: 'Change the password' }).click()
  await page.getByText('token_invalid').waitFor()
  await page.goto('/console/reset-password')
  await page.getByLabel('Token from the email').waitFor()

  await signIn(page, { ...tenant, password: newPassword })
  await expectNoToken(page)
})

test('changing the password ends the other sessions, and a button ends all', async () => {
  const tenant = await scene().sluice.createTenant()
  const [other, watched] = [await openPage(scene()), await openPage(scene())]
  await signIn(other.page, tenant)
  const { page } = watched
  await signIn(page, tenant, '/console/settings/sessions')
  await page.getByRole('button', { name: 'Revoke', exact: true }).waitFor()
  const { password } = tenant
  await act(page, 'Change password', { 'Current password': password, 'New password': newPassword })
  await page.getByRole('button', { name: 'Revoke', exact: true }).waitFor({ state: 'detached' })
  await other.page.reload()
  await signIn(other.page, { ...tenant, password: newPassword })
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('heading', { name: 'Sign in to Sluice' }).waitFor()
  await other.page.reload()
  await other.page.getByRole('heading', { name: 'Sign in to Sluice' }).waitFor()
  expectNoFlaws(watched)
})

test("another organization's ids look like ids that never existed", async () => {
  const other = await scene().sluice.createTenant()
  const { page } = await openPage(scene())
  await signIn(page, scene().tenant, '/console/settings/members')
  const seen: string[] = []
  for (const id of [await idOf(other), randomUUID()]) {
    const path = /\/v1\/auth\/organization\/members\/[0-9a-f-]+$/
    await page.route(path, (route) => {
      return route.continue({
        url: route
          .request()
          .url()
          .replace(/[^/]+$/, id)
      })
    })
    await act(page, 'Change role', { Role: 'member' })
    const alert = page.getByRole('dialog').getByRole('alert')
    await alert.getByText('member_not_found').waitFor()
    seen.push((await alert.locator('> p').first().innerText()).replace(id, 'ID'))
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
    await page.unroute(path)
    await page.goto(`/console/settings/audit?actor=${id}`)
    await page.getByText('No entry matches.').waitFor()
    await page.goto('/console/settings/members')
  }
  expect(seen[0]).toBe(seen[1])
})

test('keeps its data after an error, and retries', async () => {
  const { page } = await openPage(scene())
  await signIn(page, scene().tenant, '/console/settings/organization')
  const body = JSON.stringify({
    ...{ title: 'Database unavailable', detail: 'Retry.', code: 'store_unavailable' },
    ...{ status: 503, retryable: false, request_id: 'r-1' }
  })
  for (const [name, path, text] of [
    ['organization', '**/v1/auth/organization', 'Rate limit'],
    ['members', '**/v1/auth/organization/members', 'Actions'],
    ['audit', '**/v1/auth/audit?*', 'Details']
  ] as const) {
    await page.route(path, (route) => route.fulfill({ status: 503, body }))
    await page.getByRole('link', { name }).click()
    if (name === 'organization') await page.reload()
    await page.getByText('store_unavailable').first().waitFor()
    await page.unroute(path)
    await page.getByRole('button', { name: 'Retry' }).first().click()
    await page.getByText(text, { exact: true }).first().waitFor()
  }
  await page.route('**/v1/auth/audit?*', (route) => route.fulfill({ status: 503, body }))
  await page.getByLabel('action').selectOption('rule')
  await page.getByText('store_unavailable').waitFor()
  expect(await page.getByRole('cell').count()).toBeGreaterThan(0)
})

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test('no page violates WCAG 2.2 AA or the Content-Security-Policy', async () => {
    const watched = await openPage(scene(), { colorScheme })
    const { page } = watched
    for (const name of accountPages) {
      await page.goto(`/console/${name}`)
      await page.getByRole('link', { name: 'Go to the console' }).waitFor()
      expect(await violationsOf(page)).toEqual([])
    }
    await signIn(page, await scene().sluice.createTenant(), '/console/settings/organization')
    const name = `Renamed in ${colorScheme}`
    await act(page, 'Rename', { Name: name })
    await page.locator('.organization').getByText(name).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('link', { name: 'members' }).click()
    await act(page, 'Invite', { Email: 'axe@example.com' })
    await page.getByRole('button', { name: 'Copy the link' }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Withdraw' }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('link', { name: 'audit' }).click()
    await page.getByRole('link', { name: 'organization.renamed' }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('link', { name: 'appearance' }).click()
    await page.locator('main').getByLabel('Theme').selectOption('dark')
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Show the keyboard shortcuts' }).click()
    await page.getByRole('dialog').getByLabel('Enable single-key shortcuts').uncheck()
    await page.keyboard.press('Escape')
    expect(await page.locator('main').getByLabel('Enable single-key shortcuts').isChecked()).toBe(
      false
    )
    expectNoFlaws(watched)
  })
})

test('the rail marks the section of a page', async () => {
  const { page } = await openPage(scene())
  const id = randomUUID()
  await signIn(page, scene().tenant, `/console/decisions/${id}`)
  const current = page.locator('.rail [aria-current]')
  for (const [path, name, state] of [
    [`decisions/${id}`, 'Decisions', 'true'],
    ['decisions', 'Decisions', 'page'],
    [`evaluation/evaluators/${id}`, 'Evaluation', 'true'],
    ['settings/members', 'Settings', 'true'],
    ['agents/some%2Fagent', 'Agents', 'true'],
    [`dead-letters/${id}`, 'Dead-letter records', 'true']
  ] as const) {
    await page.goto(`/console/${path}`)
    await current.waitFor()
    expect(await current.innerText()).toBe(name)
    expect(await current.getAttribute('aria-current')).toBe(state)
  }
})
