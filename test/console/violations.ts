/** Finds violations of WCAG 2.2 AA on a page. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core'), 'utf8')
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** Returns a description of each violation. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(axeSource)
  const options = JSON.stringify({ runOnly: tags })
  const { violations } = await page.evaluate<AxeResults>(`axe.run(${options})`)
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
}
