/** Finds and launches Chromium: SLUICE_CHROMIUM, or `chromium` on the PATH, or the one of an npm
 * package.
 */
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import packaged from '@sparticuz/chromium'
import { chromium } from 'playwright-core'
import type { Browser } from 'playwright-core'

/**
 * The arguments of the package are not used: its --single-process ends the browser with the second
 * context, and its --disable-web-security would hide errors.
 */
const args = ['--no-sandbox', '--disable-gpu', '--headless=shell', '--no-zygote']

/** @returns a browser that the caller closes */
export async function launchChromium(): Promise<Browser> {
  const path = process.env['SLUICE_CHROMIUM'] ?? installedPath()
  const executablePath = path ?? (await packaged.executablePath())
  return await chromium.launch({ executablePath, args })
}

function installedPath(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return folders.map((folder) => join(folder, 'chromium')).find(isExecutable)
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
