/** Tests the pages in a browser: state in the URL, keyboard, accessibility and failures. */
import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { run } from '../support/run-to-end.ts'
import { waitUntil } from '../support/wait-until.ts'
import { copiedBy, expectNoFlaws, openPage, useConsoleScene } from './console-scene.ts'
import { signIn } from './sign-in.ts'
import { violationsOf } from './violations.ts'

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
  await client.get(`/v1/decisions/${newest}?wait=30&until=evaluated`)
})

function rowsOf(page: Page) {
  return page.locator('[role=row][aria-selected]')
}

describe('the list', () => {
  test('does not request an API path that a link has instead of a decision id', async () => {
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

  test('is navigated with the keyboard, and keeps few rows in the document', async () => {
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

/**
 * Signs in and opens the list. Returns the page, and functions that read a URL parameter and that
 * wait for its value.
 */
async function openList(path = '/console/decisions') {
  const watched = await openPage(scene())
  await signIn(watched.page, scene().tenant, path)
  await rowsOf(watched.page).first().waitFor()
  const parameter = (name: string) => new URL(watched.page.url()).searchParams.get(name)
  const becomes = (name: string, value: string | null) =>
    waitUntil(`${name}=${value}`, () => parameter(name) === value)
  return { ...watched, parameter, becomes }
}

async function logIn(): Promise<string> {
  const { gateway, tenant } = scene()
  const body = JSON.stringify({ email: tenant.email, password: tenant.password })
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${gateway.url}/v1/auth/login`, { method: 'POST', headers, body })
  return ((await response.json()) as { access_token: string }).access_token
}

describe('the tools of the list', () => {
  test('a value with its count becomes a term, and f hides the values', async () => {
    const watched = await openList()
    const { page, becomes } = watched
    const values = page.getByRole('region', { name: 'Values in the range' })
    const even = values.getByRole('button', { name: `even ${count / 2}` })
    await even.click()
    await becomes('q', 'agent:even')
    expect(await even.getAttribute('aria-pressed')).toBe('true')
    await even.click()
    await becomes('q', null)
    await page.keyboard.press('f')
    await values.waitFor({ state: 'detached' })
    await becomes('facets', 'false')
    await page.goBack()
    await values.waitFor()
    expectNoFlaws(watched)
  })

  test('the keyboard or the mouse chooses a range in the histogram', async () => {
    const watched = await openList()
    const { page, parameter } = watched
    const bars = page.getByRole('listbox', { name: 'Decisions over time' })
    await bars.getByRole('option').first().waitFor()
    const sums: number[] = []
    for (const bar of await bars.getByRole('option').all()) {
      sums.push(Number(/: (\d+) decisions/.exec((await bar.getAttribute('title')) ?? '')?.[1]))
    }
    expect(sums.reduce((sum, each) => sum + each, 0)).toBe(count)
    await bars.focus()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Shift+ArrowRight')
    await page.keyboard.press('Enter')
    await waitUntil('the range', () => parameter('from') !== null && parameter('to') !== null)
    const hours = Date.parse(parameter('to') ?? '') - Date.parse(parameter('from') ?? '')
    expect(hours % 3_600_000).toBe(0)
    await page.getByText('Jump to it').waitFor()
    await page.goBack()
    await rowsOf(page).first().waitFor()
    await bars.getByRole('option').last().hover()
    await page.mouse.down()
    await page.mouse.up()
    await waitUntil('the range', () => parameter('to') !== null)
    await rowsOf(page).first().waitFor()
    expectNoFlaws(watched)
  })

  test('a menu selects the columns, and the URL keeps the selection', async () => {
    const watched = await openList()
    const { page } = watched
    await page.getByRole('button', { name: 'Columns' }).click()
    for (const name of ['Scores', 'Size', 'Latency']) {
      await page.getByRole('checkbox', { name }).click()
    }
    await page.waitForURL(/columns=.*size/)
    await page.keyboard.press('Escape')
    await page.reload()
    await page
      .getByRole('gridcell', { name: /^[a-z_]+ [01](,|$)/ })
      .first()
      .waitFor()
    const titles = await page.getByRole('columnheader').allTextContents()
    expect(titles).toEqual(
      'Received Agent Verdict Status Scores Output Domain Model Tokens Size'.split(' ')
    )
    expectNoFlaws(watched)
  })

  test('the menu of a row filters by its value and copies it', async () => {
    const { page, becomes } = await openList('/console/decisions?q=agent:odd')
    await page.keyboard.press('j')
    await page.keyboard.press('m')
    expect(await copiedBy(page, 'Copy Agent')).toBe('odd')
    await page.getByRole('button', { name: 'Only this verdict' }).click()
    await waitUntil('the term', async () =>
      /agent:odd verdict:/.test(await page.getByLabel('Query').inputValue())
    )
    await page.goBack()
    await becomes('q', 'agent:odd')
  })

  test('counts, copies as curl and exports exactly this list', async () => {
    const watched = await openList('/console/decisions?q=agent:odd')
    const { page } = watched
    await page.getByRole('button', { name: 'Count', exact: true }).click()
    await page.getByText(`about ${count / 2} decisions`).waitFor()
    const command = await copiedBy(page, 'Copy as curl')
    const env = { ...process.env, TOKEN: await logIn() }
    const read = await run('/bin/sh', ['-c', command.replace('curl ', 'curl -sS ')], { env })
    const { data } = JSON.parse(read.output) as { data: { agent_id: string }[] }
    expect(data.map(({ agent_id }) => agent_id)).toEqual(Array(count / 2).fill('odd'))
    await page.getByRole('button', { name: 'Export' }).click()
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download NDJSON' }).click()
    ])
    expect(file.suggestedFilename()).toBe('decisions.ndjson')
    const lines = readFileSync(await file.path(), 'utf8')
      .trimEnd()
      .split('\n')
    expect(lines).toHaveLength(count / 2)
    expect(lines.every((line) => line.includes('"agent_id":"odd"'))).toBe(true)
    expectNoFlaws(watched)
  })

  test('remembers queries without secrets, until the user signs out', async () => {
    const { page } = await openList()
    const query = page.getByLabel('Query')
    for (const text of ['agent:even', 'slk_1234567890abcdef']) {
      await query.fill(text)
      await query.press('Enter')
      await page.waitForURL(new RegExp(`q=${text.slice(0, 5)}`))
    }
    const kept = "localStorage.getItem('sluice.queries')"
    expect(await page.evaluate(kept)).toBe('["agent:even"]')
    expect(await page.locator('datalist option').count()).toBe(1)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Password').waitFor()
    expect(await page.evaluate(kept)).toBeNull()
    expect(new URL(page.url()).search).toBe('')
  })

  test('a link keeps a query that contains a percent sign', async () => {
    const { page } = await openPage(scene())
    await signIn(page, scene().tenant, '/console/decisions?q=%2526&peek=' + newest)
    await page.getByRole('link', { name: 'Open' }).click()
    await page.getByRole('heading', { name: 'Decision', exact: true }).waitFor()
    expect(new URL(page.url()).searchParams.get('q')).toBe('%26')
  })
})

describe('the keyboard shortcuts of every page', () => {
  test('are listed, lead to pages and decisions, and can be switched off', async () => {
    const watched = await openList()
    const { page } = watched
    await page.keyboard.press('Control+k')
    await page.getByLabel('Page or decision id').fill(newest.toUpperCase())
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(newest))
    await page.getByRole('heading', { name: 'Output' }).waitFor()
    await page.keyboard.press('c')
    await page.getByText('Id copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(newest)
    await page.keyboard.press('y')
    await page.getByText('Link copied').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(page.url())
    await page.keyboard.press('g')
    await page.keyboard.press('d')
    await page.waitForURL(/decisions$/)
    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    expect(await violationsOf(page)).toEqual([])
    await sheet.getByLabel('Enable single-key shortcuts').uncheck()
    await sheet.getByRole('button', { name: 'Close' }).click()
    for (const key of ['j', '?', 'Control+k']) await page.keyboard.press(key)
    await page.getByRole('dialog', { name: 'Go to' }).waitFor()
    expect(await sheet.count()).toBe(0)
    expect(await page.locator('[aria-selected=true]').count()).toBe(0)
    expectNoFlaws(watched)
  })
})

describe('a decision', () => {
  test('is compared with another one, with identical lines folded', async () => {
    const { client, tenant } = scene()
    const rest = Object.fromEntries(Array.from({ length: 20 }, (_, key) => [`k${key}`, key]))
    const ids = [
      await client.accept({ input: { ...rest, last: 'one' }, output: 'same', agent_id: 'differ' }),
      await client.accept({ input: { ...rest, last: 'two' }, output: 'same', agent_id: 'differ' })
    ]
    for (const id of ids) await client.get(`/v1/decisions/${id}?wait=30&until=evaluated`)
    const watched = await openPage(scene())
    const { page } = watched
    await signIn(page, tenant, `/console/compare?a=${ids[0]}&b=${ids[1]}`)
    await page.locator('del', { hasText: '"last":"one"' }).waitFor()
    await page.locator('ins', { hasText: '"last":"two"' }).waitFor()
    await page.getByText('21 identical lines').waitFor()
    await page.getByText('Identical', { exact: true }).first().waitFor()
    const row = page.getByRole('row', { name: 'input_bytes' })
    expect(await row.getByText('differs').count()).toBe(0)
    await page.getByRole('row', { name: /score output_complete .*v\d/ }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    expectNoFlaws(watched)
  })

  test('gets feedback from a member, and an admin deletes it', async () => {
    const { client, tenant } = scene()
    const id = await client.accept({ input: 1, output: 'x', agent_id: 'feedback' })
    await client.get(`/v1/decisions/${id}?wait=30&until=evaluated`)
    const watched = await openPage(scene())
    const { page } = watched
    await signIn(page, tenant, `/console/decisions/${id}`)
    await page.getByRole('button', { name: 'Give feedback' }).click()
    await page.getByLabel('Verdict').selectOption('fail')
    await page.getByLabel('Reason').fill('It is wrong.')
    await page.getByRole('dialog').getByRole('button', { name: 'Give feedback' }).click()
    await page.getByRole('cell', { name: 'It is wrong.' }).waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete this decision' })
    await dialog.getByLabel('Reason').fill('a test')
    expect(await dialog.getByRole('button', { name: 'Delete' }).isDisabled()).toBe(true)
    await dialog.getByLabel('to confirm').fill(id.slice(-6))
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Decisions' }).waitFor()
    await waitUntil('the deletion', async () => {
      return (await client.get(`/v1/decisions/${id}`)).status === 404
    })
    expectNoFlaws(watched)
  })

  test('shows the state from queued to evaluated without a reload', async () => {
    const { client, tenant } = scene()
    const { page } = await openPage(scene())
    await signIn(page, tenant)
    const id = await client.accept({ input: 2, output: 'live', agent_id: 'live' })
    await page.goto(`/console/decisions/${id}`)
    await page.getByText(/queued → stored → evaluated/).waitFor()
  })
})

test('shows no row of the previous organization or user while it loads', async () => {
  const { sluice, tenant } = scene()
  const stranger = await sluice.createTenant()
  const ids = [tenant.organization_id, stranger.email]
  const joins = `insert into memberships (organization_id, user_id, role)
                 select $1, user_id, 'viewer' from users where email = $2`
  const visits = 'update users set last_organization_id = $1 where email = $2'
  await sluice.database.query(joins, ids)
  await sluice.database.query(visits, ids)
  const { page } = await openPage(scene())
  await signIn(page, stranger)
  await rowsOf(page).first().waitFor()
  const search = '**/v1/decisions/search'
  /** Runs `act`, and checks that the list is empty while its search is held. */
  const expectNoRows = async (act: () => Promise<unknown>) => {
    const held: (() => Promise<void>)[] = []
    await page.route(search, (route) => void held.push(() => route.fallback()))
    await act()
    await waitUntil('a search', () => held.length > 0)
    expect(await rowsOf(page).count()).toBe(0)
    await page.unroute(search)
    for (const release of held) await release()
  }
  const select = page.getByLabel('Organization')
  await expectNoRows(() => select.selectOption(stranger.organization_id))
  await page.getByText('No decisions yet').waitFor()
  await select.selectOption(tenant.organization_id)
  await rowsOf(page).first().waitFor()

  await page.context().clearCookies()
  const problem = { title: 'Ended', detail: 'It ended.', code: 'session_invalid', status: 401 }
  await page.route(search, (route) => route.fulfill({ status: 401, body: JSON.stringify(problem) }))
  await page.getByLabel('verdict').selectOption('pass')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Email').fill(tenant.email)
  await dialog.getByLabel('Password').fill(tenant.password)
  await page.unroute(search)
  await expectNoRows(() => dialog.getByRole('button', { name: 'Sign in' }).click())
  await dialog.waitFor({ state: 'detached' })
})

test('a chunk that a new version replaced reloads the page once', async () => {
  const { page } = await openPage(scene())
  await signIn(page, scene().tenant)
  let missing = 0
  await page.route('**/assets/compare-page-*.js', async (route) => {
    missing += 1
    await (missing === 1 ? route.fulfill({ status: 404 }) : route.fallback())
  })
  const url = `/console/compare?a=${newest}`
  const open = `history.pushState(null, '', '${url}')`
  await page.evaluate(open)
  await page.getByRole('heading', { name: 'Compare decisions' }).waitFor()
  expect([missing, new URL(page.url()).search]).toEqual([2, `?a=${newest}`])

  await page.goto('/console/decisions')
  await rowsOf(page).first().waitFor()
  await page.evaluate('sessionStorage.clear()')
  await page.unroute('**/assets/compare-page-*.js')
  await page.route('**/assets/compare-page-*.js', (route) => route.fulfill({ status: 404 }))
  await page.evaluate(open)
  await page.getByRole('heading', { name: 'This page failed' }).waitFor()
  await page.getByRole('button', { name: 'Reload' }).waitFor()
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
