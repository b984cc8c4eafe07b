/** Tests which actions of each page a role can use. */
import { beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { mayActAs, userRoles } from '../../core/user-role.ts'
import type { UserRole } from '../../core/user-role.ts'
import type { Tenant } from '../support/installation.ts'
import { waitUntil } from '../support/wait-until.ts'
import { openPage } from './console-scene.ts'
import { paths, useEveryPage } from './every-page.ts'
import { signIn } from './sign-in.ts'

const { scene, urlOf } = useEveryPage()
const users = new Map<string, Tenant>()

/**
 * The actions of each page, by the role that they need. Only admins and owners see the actions in
 * `hidden`.
 */
const actions: Readonly<Record<string, Partial<Record<UserRole | 'hidden', readonly string[]>>>> = {
  decisions: { member: ['Download NDJSON', 'Download CSV'] },
  'decisions/ID': { member: ['Give feedback'], admin: ['Delete'] },
  'agents/AGENT': { member: ['Rename'] },
  'dead-letters': { admin: ['Replay all that match…', 'Drop all that match…'] },
  'evaluation/rules': { admin: ['Create rule', 'Disable', 'Change', 'Delete'] },
  'evaluation/evaluators': { admin: ['Create evaluator'] },
  'evaluation/evaluators/EVALUATOR': { admin: ['Create version', 'Delete'] },
  'evaluation/runs': { member: ['Replay', 'Cancel run'] },
  'evaluation/connections': { admin: ['Create connection', 'Test', 'Delete'] },
  'evaluation/health': { admin: ['Change budget'] },
  'settings/keys': { admin: ['Create API key'], hidden: ['Rotate', 'Revoke'] },
  'settings/organization': { admin: ['Rename'] },
  'settings/members': {
    viewer: ['Leave'],
    admin: ['Invite', 'Change role', 'Remove'],
    owner: ['Change role', 'Remove'],
    hidden: ['Withdraw']
  },
  'settings/audit': { hidden: [] },
  'settings/sessions': { viewer: ['Change password'] },
  welcome: { member: ['Send a test event'], admin: ['Create API key'] }
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
    const texts = [...button.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)
    const isEnabled = button.getAttribute('aria-disabled') === 'false'
    const state = isEnabled ? 'enabled' : button.title
    return texts.map(({ data }) => data).join('') + ': ' + state
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
    if (path === 'decisions') await page.getByRole('button', { name: 'Export' }).click()
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
    expect([path, await page.getByText('You need the role admin or higher').count()]).toEqual([
      path,
      asks ? 1 : 0
    ])
  }
})
