/** Starts a browser for the tests of one file. */
import type { Browser } from 'playwright-core'
import { launchChromium } from './chromium.ts'
import { onEnd } from './cleanup.ts'

export async function startBrowser(): Promise<Browser> {
  const browser = await launchChromium()
  onEnd(() => browser.close())
  return browser
}
