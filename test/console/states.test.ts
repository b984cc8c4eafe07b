/** Tests that after each fault a page keeps its data, explains the error, and can retry. */
import { describe, expect, test } from '@jest/globals'
import type { Page, Route } from 'playwright-core'
import { waitUntil } from '../support/wait-until.ts'
import { openPage } from './console-scene.ts'
import { pages, useEveryPage } from './every-page.ts'
import { signIn } from './sign-in.ts'

const { scene, urlOf } = useEveryPage()

/** Requests that show no loading indicator. */
const silent = /stats|summary/

const problems = [
  { status: 401, code: 'session_invalid', retryable: false },
  { status: 403, code: 'role_missing', retryable: false },
  { status: 404, code: 'not_yet', retryable: true },
  { status: 409, code: 'conflict', retryable: false },
  { status: 429, code: 'rate_limited', retryable: true },
  { status: 503, code: 'store_unavailable', retryable: true }
]

type Fault = (route: Route) => Promise<void>

/** Returns a response with a problem document; a rate limit says when to retry. */
function problemOf({ status, ...problem }: (typeof problems)[number]): Fault {
  const texts = { title: `Status ${status}`, detail: `It is ${status}.`, request_id: `r-${status}` }
  const headers = { 'content-type': 'application/problem+json' }
  const body = JSON.stringify({ status, ...problem, ...texts })
  const retry = status === 429 ? { 'retry-after': '2' } : {}
  return (route) => route.fulfill({ status, headers: { ...headers, ...retry }, body })
}

const truncated: Fault = (route) => route.fulfill({ body: '{"data":[' })
const cut: Fault = (route) => route.abort()

/** Faults with the texts that the page shows. */
const faults: readonly (readonly [Fault, readonly string[]])[] = [
  ...problems.map((problem) => {
    const { status, code } = problem
    const shown = [`Status ${status}`, `It is ${status}.`, code, `r-${status}`]
    return [problemOf(problem), shown] as const
  }),
  [truncated, ['The response is incomplete', 'response_truncated']],
  [cut, ['Sluice cannot be reached', 'unreachable']]
]

/**
 * Disables polling and adds `readAgain`, which makes all data stale, so that the page reads it
 * again.
 */
const controls = `{
  const [now, every] = [Date.now, setInterval]
  let aheadMs = 0
  Date.now = () => now() + aheadMs
  window.setInterval = (act, ms) => ms > 1000 ? 0 : every(act, ms)
  window.readAgain = () => {
    aheadMs += 11_000
    for (const name of ['offline', 'online']) dispatchEvent(new Event(name))
  }
}`

/** Creates a browser page with functions that open `path`, make `request` fail, and read again. */
async function openFaulty(path: string, request: RegExp) {
  const { page } = await openPage(scene())
  await page.addInitScript(controls)
  let fault: Fault | null = null
  await page.route(request, (route) => (fault === null ? route.fallback() : fault(route)))
  const fail = (next: Fault | null): void => void (fault = next)
  const open = () => signIn(page, scene().tenant, urlOf(path))
  return { page, fail, open, readAgain: () => page.evaluate('readAgain()') }
}

async function retry(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Retry', exact: true }).click()
  await page.getByRole('alert').waitFor({ state: 'detached' })
}

describe.each(pages)('%s', (path, request, text) => {
  test(`shows the faults of ${request.source}`, async () => {
    const { page, fail, open, readAgain } = await openFaulty(path, request)
    const data = page.locator('main').getByText(text, { exact: true }).or(page.getByTitle(text))
    const alert = page.getByRole('alert')
    const held: Route[] = []
    fail(async (route) => void held.push(route))
    await open()
    await waitUntil('the request', () => held.length > 0)
    if (!silent.test(request.source)) {
      await page
        .getByRole('status')
        .filter({ hasText: /…\s+[2-9] s/ })
        .waitFor()
    }
    expect(await data.count()).toBe(0)
    const [unavailable] = faults[5] ?? []
    fail(unavailable ?? null)
    for (const route of held) await unavailable?.(route)
    await alert.getByText('It is 503.').waitFor()
    fail(null)
    await retry(page)
    await data.first().waitFor()

    for (const [fault, texts] of faults) {
      fail(fault)
      await readAgain()
      for (const shown of texts) await alert.getByText(shown, { exact: true }).waitFor()
      expect(await data.first().isVisible()).toBe(true)
      if (texts.includes('r-429')) {
        await alert.getByRole('button', { name: /^Retry in \d s$/ }).waitFor()
      }
      if (texts.length > 2) await alert.getByRole('button', { name: 'Copy request id' }).waitFor()
      fail(null)
      await retry(page)
    }
  })
})

test('waits for a decision that is not stored yet', async () => {
  const request = /\/v1\/decisions\/[0-9a-f-]{36}(\?.*)?$/
  const { page, fail, open } = await openFaulty('decisions/ID', request)
  const waits: (string | null)[] = []
  const notYet = problemOf({ status: 404, code: 'decision_not_found', retryable: true })
  fail(async (route) => {
    waits.push(new URL(route.request().url()).searchParams.get('wait'))
    if (waits.length === 1) await notYet(route)
  })
  await open()
  await page.getByText('The decision is not stored yet. Waiting…').waitFor()
  expect(waits).toEqual([null, '5'])
})

test('the live page says why its stream is cut and when it reconnects', async () => {
  for (const [fault, [, sentence = '']] of faults.slice(0, problems.length)) {
    const { page, fail, open } = await openFaulty('live', /\/v1\/decisions\/tail/)
    fail(fault)
    await open()
    await page.getByText(new RegExp(`^${sentence} Reconnecting in \\d+ s`)).waitFor()
    fail(null)
    await page.getByText('Reconnecting').waitFor({ state: 'detached' })
    await page.close()
  }
})
