/** Tests the payload viewer: it opens, scrolls, searches and copies 4 MiB, and Raw is exact. */
import { expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { depthMax } from '../../gateway/ingest/parse.ts'
import { copiedBy, expectNoFlaws, openPage, useConsoleScene } from './console-scene.ts'
import { signIn } from './sign-in.ts'

const scene = useConsoleScene()

/** Almost the maximum of an encoded decision, 4 MiB. */
const charactersMax = 4_100_000
/** The decision itself is the outermost level. */
const levels = depthMax - 1
const nodesMax = 300
const word = 'needle'

const recordTasks = `window.tasks = []
new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map((e) => e.duration)))
  .observe({ entryTypes: ['longtask'] })`

const nested = (depth: number, value: unknown): unknown =>
  depth === 0 ? value : [nested(depth - 1, value)]

const inputs: readonly (readonly [string, unknown, string])[] = [
  ['300,000 lines', [...Array.from({ length: 299_997 }, (_, item) => item), word], '/299997'],
  ['one string', 'x'.repeat(charactersMax) + word, ''],
  ['maximum depth', nested(levels, 'x'.repeat(charactersMax) + word), '/0'.repeat(levels)]
]

async function openDecision(decision: Record<string, unknown>) {
  const { client, tenant } = scene()
  const id = await client.accept({ output: 'x', agent_id: 'viewer', ...decision })
  // The browser reports a request for a decision that is not stored yet as an error.
  expect(await client.get(`/v1/decisions/${id}?wait=30`)).toMatchObject({ status: 200 })
  const watched = await openPage(scene())
  await watched.page.addInitScript(recordTasks)
  await signIn(watched.page, tenant, `/console/decisions/${id}`)
  return { ...watched, viewer: watched.page.getByRole('group', { name: 'Input', exact: true }) }
}

/** Returns the longest task of the page in ms. It is only printed, because machines differ. */
async function longestTask(page: Page): Promise<number> {
  const tasks = await page.evaluate<number[]>('window.tasks')
  return Math.round(Math.max(0, ...tasks))
}

test.each(inputs)('shows 4 MiB: %s', async (name, input, pointer) => {
  const watched = await openDecision({ input })
  const { page, viewer } = watched
  const rows = viewer.getByRole('treegrid')
  await rows.getByRole('row').first().waitFor()
  await rows.press('End')
  await viewer
    .getByRole('row', { selected: true })
    .getByText(/["\]]$/)
    .waitFor()
  await rows.press('/')
  await page.keyboard.type(word)
  await viewer.getByText('1 of 1').waitFor()
  process.stdout.write(`${name}: longest task ${await longestTask(page)} ms\n`)
  expect(await viewer.locator('*').count()).toBeLessThanOrEqual(nodesMax)
  await viewer.getByRole('button', { name: 'Copy pointer' }).click()
  await viewer.getByText('Copied').waitFor()
  expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(pointer)
  expectNoFlaws(watched)
})

test('the Raw view shows the exact text and names invisible characters', async () => {
  const input = { a: '\u202eevil\u200b <b>x</b>', b: 'x'.repeat(2000), c: [1, {}] }
  const watched = await openDecision({ input })
  const { page, viewer } = watched
  await viewer.getByRole('button', { name: 'Raw' }).click()
  const cells = viewer.getByRole('grid').getByRole('gridcell')
  await cells.first().waitFor()
  expect((await cells.allTextContents()).join('')).toBe(await copiedBy(page, 'Copy input'))
  const names = await viewer
    .locator('[data-name]')
    .evaluateAll((found) =>
      found.map((each) => (each as unknown as { dataset: { name: string } }).dataset.name)
    )
  expect(names).toEqual(['RLO', 'ZWSP'])
  expect(await viewer.locator('b').count()).toBe(0)
  expectNoFlaws(watched)
})

test('folds, moves and searches with the keyboard alone', async () => {
  const { page, viewer } = await openDecision({ input: { list: [1, 2, 3], last: 'the end' } })
  const rows = viewer.getByRole('treegrid')
  await rows.press('ArrowDown')
  await rows.press('Enter')
  await viewer.getByRole('row', { expanded: false }).getByText('3 lines').waitFor()
  expect(await rows.getAttribute('aria-rowcount')).toBe('4')
  await rows.press('Control+f')
  await page.keyboard.type('2')
  await viewer.getByText('1 of 1').waitFor()
  await viewer.getByText('/list/1').waitFor()
  expect(await rows.getAttribute('aria-rowcount')).toBe('8')
  await page.keyboard.press('Escape')
  await page.keyboard.press('End')
  await viewer.getByText('Whole document').waitFor()
})
