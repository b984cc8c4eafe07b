/** Walks through every page and dialog, with hostile text in each, in every color scheme. */
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Locator, Page } from 'playwright-core'
import { waitUntil } from '../support/wait-until.ts'
import { openPage } from './console-scene.ts'
import { paths, show, useEveryPage } from './every-page.ts'
import { signIn } from './sign-in.ts'
import { violationsOf } from './violations.ts'

const { scene, urlOf } = useEveryPage()
const withoutReads = [
  'live',
  'compare?a=ID&b=ID',
  'decisions?peek=ID',
  'settings/appearance',
  'nothing'
]
const tabs = ['scores', 'versions', 'ingestion'].map((tab) => `agents/AGENT?tab=${tab}`)
const signedOut = ['decisions', 'forgot-password', 'reset-password', 'accept-invite']
const unsafe = 'main img, iframe, object, embed, base, [href^="javascript:" i], [onerror]'
/** Names of buttons that act immediately instead of opening a dialog. */
const immediate = ['Send a test event']

const schemes = [
  { colorScheme: 'light' },
  { colorScheme: 'dark' },
  { colorScheme: 'light', forcedColors: 'active' }
] as const

async function expectSound(page: Page, where: string): Promise<void> {
  expect([where, await violationsOf(page)]).toEqual([where, []])
  expect([where, await page.locator(unsafe).count()]).toEqual([where, 0])
}

/** Returns the first button of each name that opens a dialog. */
async function openersOf(page: Page): Promise<ReadonlyMap<string, Locator>> {
  const buttons = await page.locator('main button[aria-disabled=false]:visible').all()
  const named = buttons.map(async (each) => [(await each.innerText()).trim(), each] as const)
  const openers = new Map((await Promise.all(named)).reverse())
  for (const name of immediate) openers.delete(name)
  return openers
}

/** Opens and closes each dialog of a page. */
async function walkDialogs(page: Page, path: string): Promise<void> {
  for (const [name, opener] of await openersOf(page)) {
    await opener.click()
    await page.getByRole('dialog').waitFor()
    await page.getByText('Finding the records…').waitFor({ state: 'detached' })
    await expectSound(page, `${path}: ${name}`)
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const hasFocus = (await opener.and(page.locator(':focus')).count()) === 1
    expect([path, name, hasFocus]).toEqual([path, name, true])
  }
}

describe.each(schemes)('in %j', (scheme) => {
  let watched: Awaited<ReturnType<typeof openPage>>
  beforeAll(async () => {
    watched = await openPage(scene(), scheme)
    watched.page.on('dialog', (dialog) => watched.flaws.push(dialog.message()))
    for (const path of signedOut) {
      await watched.page.goto(`/console/${path}`)
      await watched.page.locator('h1').waitFor()
      await expectSound(watched.page, path)
    }
    await signIn(watched.page, scene().tenant)
  })

  const all = [...paths, ...withoutReads, ...tabs]
  test.each(all)('%s is accessible, and its text runs nothing', async (path) => {
    const { page, flaws } = watched
    await show(page, urlOf(path), path)
    await page.locator('h1').first().waitFor()
    await waitUntil('all parts', async () => (await page.locator('.loading').count()) === 0)
    for (const summary of await page.locator('main summary').all()) await summary.click()
    await expectSound(page, path)
    await walkDialogs(page, path)
    expect(flaws).toEqual([])
  })
})
