/** Tests what each role may do on each page, and that ids of others look like unknown ids. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { mayActAs, userRoles } from '../../core/user-role.ts'
import type { UserRole } from '../../core/user-role.ts'
import type { Tenant } from '../support/installation.ts'
import { waitUntil } from '../support/wait-until.ts'
import { openPage } from './console-scene.ts'
import { paths, useEveryPage } from './every-page.ts'
import { signIn } from './sign-in.ts'

const { scene, ids, urlOf } = useEveryPage()
const users = new Map<string, Tenant>()

/** The actions of each page by the role that they need; `hidden` is what only admins see. */
const actions: Readonly<Record<string, Partial<Record<UserRole | 'hidden', readonly string[]>>>> = {
  decisions: { member: ['Save as NDJSON', 'Save as CSV'] },
  'decisions/ID': { member: ['Give feedback'], admin: ['Delete'] },
  'agents/AGENT': { member: ['Edit name'] },
  'dead-letters': { admin: ['Replay all that match…', 'Drop all that match…'] },
  'evaluation/rules': { admin: ['New rule', 'Disable', 'Change', 'Delete'] },
  'evaluation/evaluators': { admin: ['New evaluator'] },
  'evaluation/evaluators/EVALUATOR': { admin: ['New version', 'Delete'] },
  'evaluation/runs': { member: ['Replay', 'Cancel run'] },
  'evaluation/connections': { admin: ['New connection', 'Test', 'Delete'] },
  'evaluation/health': { admin: ['Change budget'] },
  'settings/keys': { admin: ['Create an API key'], hidden: ['Rotate', 'Revoke'] },
  'settings/organization': { admin: ['Rename'] },
  'settings/members': {
    viewer: ['Leave'],
    admin: ['Invite', 'Change role', 'Remove'],
    owner: ['Change role', 'Remove'],
    hidden: ['Withdraw']
  },
  'settings/audit': { hidden: [] },
  'settings/sessions': { viewer: ['Change password'] },
  welcome: { member: ['Send a test event'], admin: ['Create an API key'] }
}

beforeAll(async () => {
  const { sluice, tenant } = scene()
  for (const role of userRoles) {
    const user = await sluice.createTenant()
    const join = `update memberships set organization_id = $1, role = $2
                   where user_id = (select user_id from users where email = $3)`
    await sluice.database.query(join, [tenant.organization_id, role, user.email])
    users.set(role, user)
  }
})

/** Opens the console as a member of the organization. */
async function openAs(role: UserRole): Promise<Page> {
  const { page } = await openPage(scene())
  const user = users.get(role)
  if (user === undefined) throw new Error(`No user is ${role}.`)
  await signIn(page, user)
  return page
}

function expectedFor(role: UserRole, path: string): string[] {
  const { hidden = [], ...rest } = actions[path] ?? {}
  const shown = Object.entries(rest).flatMap(([needs, names]) => {
    const isEnabled = mayActAs(role, needs as UserRole)
    const state = isEnabled ? 'enabled' : `Requires the role ${needs} or higher.`
    return names.map((name) => `${name}: ${state}`)
  })
  const seen = mayActAs(role, 'admin') ? hidden.map((name) => `${name}: enabled`) : []
  return [...new Set([...shown, ...seen])].sort()
}

async function findActions(page: Page): Promise<string[]> {
  const find = `[...document.querySelectorAll('main button[aria-disabled]')].map((button) => {
    const isEnabled = button.getAttribute('aria-disabled') === 'false'
    return button.firstChild.textContent + ': ' + (isEnabled ? 'enabled' : button.title)
  })`
  return [...new Set(await page.evaluate<string[]>(find))].sort()
}

test.each(userRoles)('%s: every other action is disabled with its reason', async (role) => {
  const page = await openAs(role)
  for (const path of paths) {
    await page.goto(urlOf(path))
    await page
      .locator('.rail')
      .getByTitle(users.get(role)?.email ?? '')
      .waitFor()
    await page.locator('main h1').first().waitFor()
    await waitUntil('all parts', async () => (await page.locator('.loading').count()) === 0)
    const expected = expectedFor(role, path)
    let found: string[] = []
    await waitUntil(
      'the actions',
      async () => {
        found = await findActions(page)
        return String(found) === String(expected)
      },
      30_000
    ).catch(() => expect([path, found]).toEqual([path, expected]))
    const asks = actions[path]?.hidden !== undefined && !mayActAs(role, 'admin')
    expect([path, await page.getByText('Its holders:').count()]).toEqual([path, asks ? 1 : 0])
  }
})

/** Presses the button, and sends the form of its dialog even if the dialog does not allow it. */
async function force(page: Page, name: string): Promise<void> {
  const menu = page.getByRole('button', { name: 'Export' })
  if (name.startsWith('Save as')) await menu.click()
  const place = name === 'Send a test event' ? 'main' : 'main'
  await page.locator(place).getByRole('button', { name, exact: true }).last().click()
  const form = page.locator('dialog form')
  const answer = page.getByText('role_missing')
  await form.or(answer).first().waitFor()
  if ((await form.count()) === 0) return
  await form.evaluate('(form) => { form.noValidate = true; form.requestSubmit() }')
}

test.each(['viewer', 'member', 'admin'] as const)(
  'the server refuses a %s every action that a changed page offers',
  async (role) => {
    const page = await openAs(role)
    await page.route('**/v1/auth/me', async (route) => {
      const response = await route.fetch()
      const json = { ...((await response.json()) as object), role: 'owner' }
      await route.fulfill({ response, json })
    })
    for (const [path, { hidden, ...rest }] of Object.entries(actions)) {
      for (const [needs, names] of Object.entries(rest)) {
        if (mayActAs(role, needs as UserRole)) continue
        for (const name of names) {
          await page.goto(urlOf(path))
          await force(page, name)
          await page.getByRole('alert').getByText('role_missing').first().waitFor()
        }
      }
      if (hidden === undefined || mayActAs(role, 'admin')) continue
      await page.goto(urlOf(path))
      await page.getByRole('alert').getByText('role_missing').first().waitFor()
    }
  }
)

/** Every URL with an id. Agents are called by their own names. */
const urls = [
  ...['decisions/ID', 'decisions?peek=ID', 'live?peek=ID', 'compare?a=ID&b=ID'],
  ...['dead-letters/RECORD', 'dead-letters?agent=AGENT', 'decisions?q=agent:"AGENT"'],
  ...['', '?tab=scores', '?tab=versions', '?tab=ingestion'].map((tab) => `agents/AGENT${tab}`),
  ...['evaluation/evaluators/EVALUATOR', 'evaluation/runs?rule_id=RULE'],
  ...['evaluation/runs?evaluator_id=EVALUATOR', 'settings/audit?actor=USER']
]

test("another organization's ids in every URL look like ids that never existed", async () => {
  const { sluice, tenant } = scene()
  const { page } = await openPage(scene())
  await signIn(page, await sluice.createTenant())
  const select = 'select user_id from users where email = $1'
  const [user] = await sluice.database.query<{ user_id: string }>(select, [tenant.email])
  const foreign = { ...ids, USER: user?.user_id ?? '' }
  const isHex = /[0-9a-f-]{32,36}$/
  const unknown = Object.fromEntries(
    Object.entries(foreign).map(([name, id]) => {
      const hex = isHex.exec(id)?.[0]
      const other = hex?.includes('-') ? randomUUID() : randomUUID().replaceAll('-', '')
      return [name, hex === undefined ? `${id}.` : id.replace(hex, other)]
    })
  )
  for (const url of urls) {
    const texts: string[] = []
    for (const values of [foreign, unknown]) {
      await page.goto(urlOf(url, values))
      await page.locator('main h1').first().waitFor()
      await page
        .getByText(/No .*(exists|match|runs|decision)|_not_found/i)
        .first()
        .waitFor()
      await waitUntil('all parts', async () => (await page.locator('.loading').count()) === 0)
      let text = `${await page.title()} ${await page.locator('main').innerText()}`
      for (const id of Object.values(values)) text = text.replaceAll(id.replace(/^\W+/, ''), 'ID')
      texts.push(text.replaceAll(/[0-9a-f-]{36}/g, 'UUID'))
    }
    expect([url, texts[0]]).toEqual([url, texts[1]])
  }
})
