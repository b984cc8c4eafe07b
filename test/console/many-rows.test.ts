/** Tests a list of 10,000 decisions, and a request with a wrong scope, in a browser. */
import { beforeAll, expect, test } from '@jest/globals'
import { storeAgentUsage } from '../support/agent-usage.ts'
import { waitUntil } from '../support/wait-until.ts'
import { expectNoFlaws, openPage, useConsoleScene } from './console-scene.ts'
import { signIn } from './sign-in.ts'

const scene = useConsoleScene({ withConsumers: false })
const count = 10_000

beforeAll(async () => {
  const now = Date.now()
  const decisions = Array.from({ length: count }, (_, index) => {
    return { received_at: new Date(now - 3_600_000 - index * 1000), agent_id: `agent ${index}` }
  })
  const { sluice, tenant } = scene()
  await storeAgentUsage(sluice.database, tenant.organization_id, decisions)
})

test('the keyboard reaches the last of 10,000 rows, and few are in the document', async () => {
  const watched = await openPage(scene())
  const { page } = watched
  await signIn(page, scene().tenant, '/console/decisions?facets=false')
  const rows = page.locator('[role=row][aria-selected]')
  const active = page.locator('[aria-selected=true]')
  await rows.first().waitFor()
  let most = 0
  await waitUntil('the last row', async () => {
    await page.keyboard.press('End')
    most = Math.max(most, await rows.count())
    return (await active.getAttribute('aria-rowindex')) === String(count + 1)
  })
  await page.getByRole('gridcell', { name: `agent ${count - 1}`, exact: true }).waitFor()
  await waitUntil('the number of rows', async () => {
    const total = await page.getByRole('grid').getAttribute('aria-rowcount')
    return total === String(count + 1)
  })
  expect(most).toBeLessThanOrEqual(80)
  await page.keyboard.press('k')
  expect(await active.getAttribute('aria-rowindex')).toBe(String(count))
  expectNoFlaws(watched)
})

test('a wrong scope shows on welcome and health, with the name of the key', async () => {
  const { sluice, client } = scene()
  const tenant = await sluice.createTenant({ scopes: ['evaluation:read'] })
  const watched = await openPage(scene())
  const { page } = watched
  await signIn(page, tenant, '/console/welcome')
  await page.getByText('No request was rejected.').waitFor()
  const { status, body } = await client.ingest(tenant.api_key, { input: 1, output: 'x' })
  expect([status, body['code']]).toEqual([403, 'scope_missing'])
  const [key] = await sluice.database.query<{ name: string }>(
    'select name from api_keys where organization_id = $1',
    [tenant.organization_id]
  )
  for (const path of ['welcome', 'health']) {
    if (path === 'health') await page.getByRole('link', { name: 'Health' }).click()
    const row = page.getByRole('region', { name: 'Last rejected requests' }).locator('tbody tr')
    await row.getByText(String(body['detail'])).waitFor()
    await row.getByRole('cell', { name: key?.name ?? 'no name', exact: true }).waitFor()
  }
  expectNoFlaws(watched)
})
