/** Starts Sluice with a tenant, and opens pages in a real browser that record errors. */
import { beforeAll, expect } from '@jest/globals'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import type { Application } from '../support/application.ts'
import { startBrowser } from '../support/browser.ts'
import { clientOf, createInstallation } from '../support/installation.ts'
import { waitUntil } from '../support/wait-until.ts'
import type { Client, Installation, Tenant } from '../support/installation.ts'

interface ConsoleScene {
  readonly sluice: Installation
  readonly gateway: Application
  readonly tenant: Tenant
  readonly client: Client
  readonly browser: Browser
  /** Patterns of the operations in the OpenAPI document, each a method and a path. */
  readonly operations: readonly RegExp[]
}

interface SceneOptions {
  /** Whether tests send decisions. Default: true. */
  readonly withConsumers?: boolean
  /** Environment variables of the gateway. */
  readonly settings?: NodeJS.ProcessEnv
}

/** Before all tests, starts a gateway and, by default, the consumers. */
export function useConsoleScene(options: SceneOptions = {}): () => ConsoleScene {
  const { withConsumers = true, settings = {} } = options
  let scene: ConsoleScene | undefined
  beforeAll(async () => {
    const sluice = await createInstallation()
    const tenant = await sluice.createTenant()
    const [gateway] = await Promise.all([
      sluice.start('gateway', { DOCS_ENABLED: 'true', ...settings }),
      ...(withConsumers ? [sluice.start('storage'), sluice.start('evaluation')] : [])
    ])
    const browser = await startBrowser()
    const operations = await readOperations(gateway.url)
    scene = { sluice, gateway, tenant, client: clientOf(gateway, tenant), browser, operations }
  })
  return () => {
    if (scene === undefined) throw new Error('The scene has not started.')
    return scene
  }
}

async function readOperations(url: string): Promise<RegExp[]> {
  const { paths } = (await (await fetch(`${url}/openapi.json`)).json()) as {
    paths: Record<string, object>
  }
  return Object.entries(paths).flatMap(([path, methods]) => {
    const pattern = path.replaceAll(/[{]\w+[}]/g, '[^/]+')
    return Object.keys(methods).map((method) => new RegExp(`^${method} ${pattern}$`, 'i'))
  })
}

interface WatchedPage {
  readonly page: Page
  readonly context: BrowserContext
  /**
   * Errors and warnings of the browser's console, uncaught exceptions, requests to other hosts, and
   * API requests that the OpenAPI document lacks.
   */
  readonly flaws: string[]
}

interface PageOptions {
  readonly colorScheme?: 'light' | 'dark'
  readonly forcedColors?: 'active'
  readonly context?: BrowserContext
}

export async function openPage(scene: ConsoleScene, options: PageOptions = {}) {
  const { gateway, browser, operations } = scene
  const origin = new URL(gateway.url).origin
  const context =
    options.context ??
    (await browser.newContext({
      baseURL: origin,
      viewport: { width: 1280, height: 800 },
      colorScheme: options.colorScheme ?? 'light',
      forcedColors: options.forcedColors ?? 'none',
      // Without this option, Chromium reports a locale that Intl rejects.
      locale: 'en-US',
      timezoneId: 'Asia/Kolkata',
      permissions: ['clipboard-read', 'clipboard-write']
    }))
  const page = await context.newPage()
  const flaws: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') flaws.push(message.text())
  })
  page.on('pageerror', (error) => flaws.push(String(error)))
  page.on('request', (request) => {
    const url = request.url()
    if (!url.startsWith(`${origin}/`) && !/^(data|blob):/.test(url)) flaws.push(url)
    const called = `${request.method()} ${new URL(url).pathname}`
    const isKnown = operations.some((operation) => operation.test(called))
    if (called.includes(' /v1/') && !isKnown) flaws.push(called)
  })
  return { page, context, flaws } satisfies WatchedPage
}

/** Presses a button that copies, and returns the content of the clipboard. */
export async function copiedBy(page: Page, name: string): Promise<string> {
  const read = () => page.evaluate<string>('navigator.clipboard.readText()')
  await page.evaluate("navigator.clipboard.writeText('')")
  await page.getByRole('button', { name, exact: true }).click()
  await waitUntil(`the text of ${name}`, async () => (await read()) !== '')
  return await read()
}

export function expectNoFlaws({ flaws }: Pick<WatchedPage, 'flaws'>): void {
  expect(flaws).toEqual([])
}
