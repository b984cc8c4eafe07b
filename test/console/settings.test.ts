/** Tests the pages welcome, API keys and live in a browser. */
import { createServer, request as forward } from 'node:http'
import type { ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { run } from '../support/run-to-end.ts'
import { waitUntil } from '../support/wait-until.ts'
import { copiedBy, expectNoFlaws, openPage, useConsoleScene } from './console-scene.ts'
import { signIn } from './sign-in.ts'
import { violationsOf } from './violations.ts'

const scene = useConsoleScene()
const decision = { agent_id: 'live', input: { question: '2+2?' }, output: '4' }

/** Creates a key on its page, and returns its secret. The dialog stays open. */
async function createKey(page: Page, name: string): Promise<string> {
  await page.getByRole('button', { name: 'Create API key' }).click()
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByRole('dialog').getByRole('button', { name: 'Create API key' }).click()
  return await secretOf(page)
}

async function secretOf(page: Page): Promise<string> {
  const dialog = page.getByRole('dialog', { name: 'Store the key now' })
  return (await dialog.getByText(/^slk_live_/).textContent()) ?? ''
}

async function closeSecret(page: Page): Promise<void> {
  await page.getByLabel('I have stored it').check()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

async function statusOf(apiKey: string, body: object = decision): Promise<number> {
  return (await scene().client.ingest(apiKey, body)).status
}

describe('API keys', () => {
  test('shows a secret once, and then what its key is used for', async () => {
    const watched = await openPage(scene())
    const { page, context } = watched
    await signIn(page, await scene().sluice.createTenant(), '/console/settings/keys')
    const secret = await createKey(page, 'support agents')
    const later: Promise<string>[] = []
    page.on('response', (response) => later.push(response.text().catch(() => '')))
    // Chromium closes a dialog at the second Escape, whatever the page does at the first.
    await page.keyboard.press('Escape')
    await page.keyboard.press('Escape')
    expect(await secretOf(page)).toBe(secret)
    expect(await page.getByRole('button', { name: 'Close' }).isDisabled()).toBe(true)
    for (const name of ['.env', 'curl', 'TypeScript', 'Python']) {
      await page.getByRole('button', { name, exact: true }).click()
      const code = await copiedBy(page, 'Copy the code')
      expect(code.includes(secret)).toBe(name === '.env' || name === 'curl')
      expect(code.includes(new URL(scene().gateway.url).origin)).toBe(true)
    }
    await closeSecret(page)

    await page.getByText('waiting for its first request').waitFor()
    expect(await statusOf(secret, { input: 1 })).toBe(422)
    await page.getByText(/support agents: rejected: .*output/).waitFor()
    expect(await statusOf(secret)).toBe(202)
    await page.getByText('its requests are accepted').waitFor()
    await page.getByRole('cell', { name: '1', exact: true }).first().waitFor()

    expect(await page.content()).not.toContain(secret)
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, location.href])'
    )
    expect(kept).not.toContain('slk_')
    expect(JSON.stringify(await context.storageState({ indexedDB: true }))).not.toContain(secret)
    expect(later.length).toBeGreaterThan(2)
    expect((await Promise.all(later)).join('')).not.toContain(secret)
    expectNoFlaws(watched)
  })

  test('rotates a key at once, and revokes it', async () => {
    const { page } = await openPage(scene())
    await signIn(page, await scene().sluice.createTenant(), '/console/settings/keys')
    const first = await createKey(page, 'rotated')
    await closeSecret(page)
    const row = page.getByRole('row').filter({ hasText: 'rotated' })
    await row.getByRole('button', { name: 'Rotate' }).click()
    await page.getByLabel('The old key stops working').selectOption('now')
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    const second = await secretOf(page)
    await closeSecret(page)
    await row.first().getByText('active').waitFor()
    await waitUntil('the old key to be refused', async () => (await statusOf(first)) === 401)
    expect(await statusOf(second)).toBe(202)

    const revokedAt = new Date().toISOString()
    await row.first().getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await row.first().getByText('revoked').waitFor()
    await waitUntil('the key to be refused', async () => (await statusOf(second)) === 401)
    const refusals = page.getByRole('row', { name: /The API key was revoked.* rotated/ })
    await waitUntil('the refused request of the revoked key', async () => {
      const newest = await refusals.locator('time').first().getAttribute('datetime')
      return newest !== null && newest > revokedAt
    })
  })

  test('a viewer sees who may manage keys', async () => {
    const { sluice } = scene()
    const [viewer, admin] = [await sluice.createTenant(), await sluice.createTenant()]
    await sluice.database.query(
      `update memberships set role = 'viewer' where organization_id = $1`,
      [viewer.organization_id]
    )
    await sluice.database.query(
      `insert into memberships (organization_id, user_id, role)
       select $1, user_id, 'admin' from users where email = $2`,
      [viewer.organization_id, admin.email]
    )
    const watched = await openPage(scene())
    const { page } = watched
    await signIn(page, viewer, '/console/settings/keys')
    await page.getByText(`the role admin or higher to see this. Ask ${admin.email}.`).waitFor()
    const button = page.getByRole('button', { name: 'Create API key' })
    expect(await button.getAttribute('aria-disabled')).toBe('true')
    await button.click({ force: true })
    expect(await page.getByRole('dialog').count()).toBe(0)
    expectNoFlaws(watched)
  })
})

test('lists the sessions, and ends one', async () => {
  const tenant = await scene().sluice.createTenant()
  const [other, watched] = [await openPage(scene()), await openPage(scene())]
  await signIn(other.page, tenant)
  const { page } = watched
  await signIn(page, tenant, '/console/settings/sessions')
  await page.getByText('this session').waitFor()
  const button = page.getByRole('button', { name: 'Revoke', exact: true })
  await button.click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await button.waitFor({ state: 'detached' })
  await other.page.reload()
  await other.page.getByRole('heading', { name: 'Sign in to Sluice' }).waitFor()
  expectNoFlaws(watched)
})

describe('welcome', () => {
  test('completes without a reload, and links to the decision and its scores', async () => {
    const tenant = await scene().sluice.createTenant()
    const watched = await openPage(scene())
    const { page } = watched
    await signIn(page, tenant, '/console/')
    await page.getByRole('heading', { name: 'Welcome to Sluice' }).waitFor()
    let loads = 0
    page.on('load', () => (loads += 1))
    expect(await statusOf(tenant.api_key, { input: 1 })).toBe(422)
    await page.getByRole('cell', { name: /^invalid_decision .*output/ }).waitFor()

    await page.getByRole('button', { name: 'curl' }).click()
    const code = await copiedBy(page, 'Copy the code')
    const command = code.replace('slk_YOUR_API_KEY', tenant.api_key)
    expect((await run('/bin/sh', ['-c', command])).output).toContain('202')
    await page.getByText('All steps are done.').waitFor()
    await page.getByRole('link', { name: 'Open the newest decision' }).click()
    await page.getByRole('cell', { name: 'succeeded' }).first().waitFor()
    expect(await page.getByRole('link', { name: 'Welcome' }).count()).toBe(0)
    expect(loads).toBe(0)
    await page.goto('/console/')
    await page.getByRole('heading', { name: 'Decisions' }).waitFor()
    expectNoFlaws(watched)
  })

  test('sends a test event, one click from its decision', async () => {
    const { page } = await openPage(scene())
    await signIn(page, await scene().sluice.createTenant(), '/console/welcome')
    await page.getByRole('button', { name: 'Send a test event' }).click()
    await page.getByRole('link', { name: 'Open the test event' }).click()
    await page.getByText('sluice-onboarding').first().waitFor()
  })
})

/** Starts a proxy to a gateway that can count and cut tail connections. */
async function startProxy(target: string) {
  const tails = new Set<ServerResponse>()
  const server = createServer((incoming, response) => {
    const { method, headers, url = '' } = incoming
    const outgoing = forward(new URL(url, target), { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
      answer.pipe(response)
      if (url.startsWith('/v1/decisions/tail')) tails.add(response)
    })
    response.on('close', () => {
      tails.delete(response)
      outgoing.destroy()
    })
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    tails,
    cut: () => [...tails].forEach((tail) => tail.destroy()),
    close: () => server.close()
  }
}

describe('live', () => {
  let proxy: Awaited<ReturnType<typeof startProxy>>
  beforeAll(async () => {
    proxy = await startProxy(scene().gateway.url)
  })
  afterAll(() => void proxy.close())
  /** Closes all pages, because an open page keeps its stream. */
  afterEach(async () => {
    await Promise.all(
      scene()
        .browser.contexts()
        .map((context) => context.close())
    )
    await waitUntil('no stream', () => proxy.tails.size === 0)
  })

  /** Opens the page through the proxy as the owner of a new tenant. Returns the page and `send`. */
  async function openLive(query = '') {
    const tenant = await scene().sluice.createTenant()
    const gateway = { ...scene().gateway, url: proxy.url }
    const watched = await openPage({ ...scene(), gateway })
    await signIn(watched.page, tenant, `/console/live${query}`)
    // Moves the pointer away, because the list freezes while the pointer is over it.
    await watched.page.mouse.move(5, 5)
    await waitUntil('the stream', () => proxy.tails.size === 1)
    const send = async (count: number, fields: object = {}): Promise<void> => {
      for (let index = 0; index < count; index++) {
        expect(await statusOf(tenant.api_key, { ...decision, ...fields })).toBe(202)
      }
    }
    return { ...watched, gateway, send }
  }

  async function shownIn(page: Page): Promise<number> {
    const grid = page.getByRole('grid')
    return (await grid.count()) === 0 ? 0 : Number(await grid.getAttribute('aria-rowcount')) - 1
  }

  async function countedIn(page: Page): Promise<number> {
    return Number((await page.getByRole('button', { name: /new$/ }).innerText()).split(' ')[0])
  }

  test('neither loses nor repeats a decision over five cuts, and does not scroll', async () => {
    const { page, send } = await openLive()
    await send(60)
    await waitUntil('60 decisions', async () => (await shownIn(page)) === 60)
    await page.getByRole('grid').evaluate((grid) => {
      const scroller = grid as unknown as { scrollTop: number }
      scroller.scrollTop = 300
    })
    await page.getByRole('button', { name: '0 new' }).waitFor()
    const row = page.locator('[role=row][aria-rowindex="18"]')
    const [before, text] = [await row.boundingBox(), await row.innerText()]
    const hidden = text.replace(/pending|evaluating|evaluated|pass|none/g, '')
    for (let cut = 0; cut < 5; cut++) {
      await send(20)
      proxy.cut()
      await send(20)
      await waitUntil('the next stream', () => proxy.tails.size === 1)
    }
    await waitUntil('all decisions', async () => (await countedIn(page)) === 200)
    expect(await shownIn(page)).toBe(60)
    expect(await row.boundingBox()).toEqual(before)
    expect((await row.innerText()).replace(/pending|evaluating|evaluated|pass|none/g, '')).toBe(
      hidden
    )

    await page.getByRole('button', { name: '200 new' }).click()
    await waitUntil('all rows', async () => (await shownIn(page)) === 260)
    await page.getByRole('gridcell', { name: 'live' }).first().click()
    await page.getByRole('complementary', { name: 'Decision' }).getByText('2+2?').waitFor()
    await send(3)
    await page.getByRole('button', { name: '3 new' }).waitFor()
  })

  test('filters, and names the filters that it ignores', async () => {
    const { page, send } = await openLive('?q=domain:refunds model:small')
    await page.getByText('Live ignores model.').waitFor()
    await send(3, { domain: 'billing' })
    await send(2, { domain: 'refunds' })
    await send(1, { domain: 'billing' })
    await waitUntil('two decisions', async () => (await shownIn(page)) === 2)
    await page.getByText(/Last event \d+ s ago/).waitFor()
  })

  test('opens one stream for all tabs, which the next tab takes over', async () => {
    const { page, context, gateway, send } = await openLive()
    const others = []
    for (let tab = 0; tab < 7; tab++) {
      const other = await openPage({ ...scene(), gateway }, { context })
      await other.page.goto('/console/live')
      await other.page.getByRole('heading', { name: 'Live' }).waitFor()
      others.push(other.page)
    }
    await send(2)
    for (const each of others) await waitUntil('both', async () => (await shownIn(each)) === 2)
    expect(proxy.tails.size).toBe(1)
    await page.close()
    await send(3)
    for (const each of others) await waitUntil('all five', async () => (await shownIn(each)) === 5)
    expect(proxy.tails.size).toBe(1)
  })

  test('shows where decisions are missing', async () => {
    const { page, send } = await openLive()
    const gap = 'event: gap\ndata: {"dropped":312}\n\n'
    await send(1)
    await waitUntil('the decision', async () => (await shownIn(page)) === 1)
    for (const tail of proxy.tails) tail.write(gap)
    await page.getByText('Not shown here: 312 decisions.').waitFor()
  })
})

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test('no page violates WCAG 2.2 AA or the Content-Security-Policy', async () => {
    const watched = await openPage(scene(), { colorScheme })
    const { page } = watched
    const tenant = await scene().sluice.createTenant()
    await signIn(page, tenant, '/console/welcome')
    await page.getByText('of 4 steps are done').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('link', { name: 'Live' }).click()
    await page.getByText('No decision has arrived').waitFor()
    expect(await violationsOf(page)).toEqual([])
    expect(await statusOf(tenant.api_key)).toBe(202)
    expect(await statusOf(tenant.api_key, {})).toBe(422)
    await waitUntil('a row', async () => (await page.getByRole('gridcell').count()) > 0)
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('cell', { name: /^invalid_decision/ }).waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('link', { name: 'sessions' }).click()
    await page.getByText('this session').waitFor()
    expect(await violationsOf(page)).toEqual([])
    await page.getByRole('link', { name: 'keys' }).click()
    await createKey(page, 'seen by axe')
    expect(await violationsOf(page)).toEqual([])
    expectNoFlaws(watched)
  })
})
