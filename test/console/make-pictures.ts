/** Takes the pictures of the console in docs/pictures, in light and dark, from a running `npm
 * start`, which it fills with more decisions.
 */
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { readRunning } from '../../stack/local-file.ts'
import type { LocalFile } from '../../stack/local-file.ts'
import { launchChromium } from '../support/chromium.ts'
import { fillStack } from './picture-data.ts'
import { signIn } from './sign-in.ts'

const root = join(import.meta.dirname, '../..')
const folder = join(root, 'docs/pictures')
const viewport = { width: 1280, height: 720 }
const themes = ['light', 'dark'] as const

/** Names of the pictures, each with the steps that open its page from the list of decisions. */
const pictures: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  list: async (page) => {
    await page.getByRole('gridcell', { name: 'refund-agent' }).first().waitFor()
  },
  detail: async (page) => {
    await page.getByRole('gridcell', { name: 'refund-agent' }).first().click()
    await page.getByRole('link', { name: 'Open' }).click()
    await page.getByRole('cell', { name: 'succeeded' }).first().waitFor()
  },
  health: async (page) => {
    await page.getByRole('link', { name: 'Health' }).click()
    await page.getByText('audited at').waitFor()
  }
}

const local = readRunning(join(root, '.sluice/local.json'))
await fillStack(local)
await using browser = await launchChromium()
for (const theme of themes) await takePictures(browser, local, theme)

async function takePictures(browser: Browser, local: LocalFile, colorScheme: 'light' | 'dark') {
  const context = await browser.newContext({ viewport, colorScheme, timezoneId: 'UTC' })
  const page = await context.newPage()
  await signIn(page, local, local.console_url)
  for (const [name, show] of Object.entries(pictures)) {
    await page.goto(`${local.console_url}decisions`)
    await show(page)
    const path = join(folder, `console-${name}-${colorScheme}.png`)
    await page.screenshot({ path, animations: 'disabled' })
    process.stdout.write(`${path}\n`)
  }
  await context.close()
}
