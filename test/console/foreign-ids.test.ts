/** Tests that ids of another organization look like unknown ids. */
import { randomUUID } from 'node:crypto'
import { expect, test } from '@jest/globals'
import { waitUntil } from '../support/wait-until.ts'
import { openPage } from './console-scene.ts'
import { useEveryPage } from './every-page.ts'
import { signIn } from './sign-in.ts'

const { scene, ids, urlOf } = useEveryPage()

/** Every URL with an id. The id of an agent is the name that the sender of its decisions chose. */
const urls = [
  ...['decisions/ID', 'decisions?peek=ID', 'live?peek=ID', 'compare?a=ID&b=ID'],
  ...['dead-letters/RECORD', 'dead-letters?agent=AGENT', 'decisions?q=agent:"AGENT"'],
  ...['', '?tab=scores', '?tab=versions', '?tab=ingestion'].map((tab) => `agents/AGENT${tab}`),
  ...['evaluation/evaluators/EVALUATOR', 'evaluation/runs?rule_id=RULE'],
  ...['evaluation/runs?evaluator_id=EVALUATOR', 'settings/audit?actor=USER']
]

test("another organization's ids in every URL look like ids that never existed", async () => {
  const { sluice, tenant } = scene()
  const { page } = await openPage(scene())
  await signIn(page, await sluice.createTenant())
  const select = 'select user_id from users where email = $1'
  const [user] = await sluice.database.query<{ user_id: string }>(select, [tenant.email])
  const foreign = { ...ids, USER: user?.user_id ?? '' }
  const isHex = /[0-9a-f-]{32,36}$/
  const unknown = Object.fromEntries(
    Object.entries(foreign).map(([name, id]) => {
      const hex = isHex.exec(id)?.[0]
      const other = hex?.includes('-') ? randomUUID() : randomUUID().replaceAll('-', '')
      return [name, hex === undefined ? `${id}.` : id.replace(hex, other)]
    })
  )
  const options = page.getByLabel('Evaluator id').locator('option[value^=output_complete]')
  for (const url of urls) {
    const texts: string[] = []
    for (const values of [foreign, unknown]) {
      await page.goto(urlOf(url, values))
      await page.locator('main h1').first().waitFor()
      await page
        .getByText(/No .*(exists|match|runs|decision)|_not_found/i)
        .first()
        .waitFor()
      await waitUntil('all parts', async () => (await page.locator('.loading').count()) === 0)
      await waitUntil(
        'the filters',
        async () => !url.includes('runs') || (await options.count()) > 0
      )
      let text = `${await page.title()} ${await page.locator('main').innerText()}`
      for (const id of Object.values(values)) text = text.replaceAll(id.replace(/^\W+/, ''), 'ID')
      texts.push(text.replaceAll(/[0-9a-f-]{36}/g, 'UUID'))
    }
    expect([url, texts[0]]).toEqual([url, texts[1]])
  }
}, 600_000)
