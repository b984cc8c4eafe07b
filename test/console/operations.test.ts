/** Tests the health page and the pages of dead-letter records in a browser. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import { clientOf, createInstallation } from '../support/installation.ts'
import { waitUntil } from '../support/wait-until.ts'
import { expectNoFlaws, openPage, useConsoleScene } from './console-scene.ts'
import { signIn } from './sign-in.ts'

const scene = useConsoleScene()
const conflicts = 3
const accepts = 100
const audits = { AUDIT_INTERVAL_SECONDS: '1' }

interface Ledger {
  readonly stored: number
  readonly missing_records: readonly Readonly<Record<string, string | number>>[]
}

beforeAll(async () => {
  const { client, sluice, tenant } = scene()
  await sluice.database.query(
    `alter table decisions add constraint refused check (domain is distinct from 'refused')`
  )
  await client.accept({ agent_id: 'refused', domain: 'refused', input: 'x', output: 'x' })
  await client.ingest(tenant.api_key, { agent_id: 'broken', input: 'x' })
  for (let index = 0; index < conflicts; index++) {
    const decision_id = randomUUID()
    await client.accept({ decision_id, agent_id: 'twice', input: { index }, output: 'first' })
    await client.accept({ decision_id, agent_id: 'twice', input: { index }, output: 'second' })
  }
  await waitUntil('the conflicts to be dead-lettered', async () => {
    const { body } = await client.get('/v1/dead-letters?state=open')
    return (body['meta'] as { matched: number }).matched === conflicts + 1
  })
})

test('the health page counts decisions, and shows why a request was rejected', async () => {
  const watched = await openPage(scene())
  const { page } = watched
  await signIn(page, scene().tenant)
  await page.getByRole('link', { name: 'Health' }).click()
  const sum = page.getByText(
    `${2 * conflicts + 2} received = ${2 * conflicts + 1} accepted + 1 rejected`
  )
  await sum.waitFor()
  const reasons = page.getByRole('region', { name: 'Rejected decisions by reason' })
  await reasons.getByText('invalid_decision').waitFor()
  const rejected = page.getByRole('region', { name: 'Last rejected requests' })
  await rejected.getByText('/output is required').waitFor()
  await rejected.getByText('broken').waitFor()
  expectNoFlaws(watched)
})

test('replays three records of five, and shows which one failed again', async () => {
  const { sluice, gateway } = scene()
  const tenant = await sluice.createTenant()
  const client = clientOf(gateway, tenant)
  await sluice.database.query(
    `alter table decisions add constraint broken check (domain is distinct from 'broken')`
  )
  for (const domain of ['broken', 'broken', 'refused', 'refused', 'refused']) {
    await client.accept({ agent_id: domain, domain, input: 'x', output: 'x' })
  }
  const watched = await openPage(scene())
  const { page } = watched
  await signIn(page, tenant, '/console/dead-letters')
  const rows = page.getByRole('region', { name: 'Dead-letter records' }).locator('tbody tr')
  const expectOpen = async (count: number): Promise<void> => {
    await page.getByText(`${count} match`).waitFor()
    await waitUntil('the records', async () => (await rows.count()) === count)
    await page.getByRole('link', { name: `Dead-letter records ${count}`, exact: true }).waitFor()
  }
  await expectOpen(5)
  await sluice.database.query('alter table decisions drop constraint broken')
  const rowsOf = (name: string) =>
    rows.filter({ has: page.getByRole('cell', { name, exact: true }) })
  for (const row of [...(await rowsOf('broken').all()), rowsOf('refused').first()]) {
    await row.getByRole('checkbox').check()
  }
  await page.getByRole('button', { name: 'Replay 3 selected…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type 3 to confirm').fill('3')
  await dialog.getByRole('button', { name: 'Replay 3' }).click()
  await dialog.getByText('3 of 3 succeeded.').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  // The message that failed again has a new record, so with the two that were not selected, three
  // are open.
  await expectOpen(3)

  await page.getByLabel('State').selectOption('replayed')
  await page.waitForURL(/state=replayed/)
  await waitUntil('both replayed records', async () => {
    return (await rowsOf('broken').locator('.good', { hasText: 'replayed' }).count()) === 2
  })
  expect([await rows.count(), await page.locator('tbody .bad').count()]).toEqual([3, 1])
  await rowsOf('refused').getByText('refused_by_store').waitFor()
  await rowsOf('refused').getByRole('link', { name: 'failed again' }).click()
  await page.getByRole('heading', { name: 'Dead-letter record' }).waitFor()
  await page.getByText('refused_by_store').first().waitFor()

  await page.goto('/console/settings/audit?action=dead_letter.replayed')
  const operator = page.getByRole('region', { name: 'Entries' }).getByRole('link', {
    name: tenant.email
  })
  await operator.first().waitFor()
  expect(await operator.count()).toBe(3)
  expectNoFlaws(watched)
})

test('drops a record that would fail again, and shows that a replayed one did', async () => {
  const watched = await openPage(scene())
  const { page } = watched
  await signIn(page, scene().tenant)
  await page.getByRole('link', { name: /^Dead-letter records/ }).click()
  const rows = page.getByRole('region', { name: 'Dead-letter records' }).locator('tbody tr')
  const dialog = page.getByRole('dialog')
  await waitUntil('all records', async () => (await rows.count()) === conflicts + 1)
  await page.getByText(`${conflicts + 1} match`).waitFor()

  const conflict = rows.filter({ hasText: 'id_conflict' }).first()
  await conflict.getByRole('checkbox').check()
  await page.getByRole('button', { name: 'Replay 1 selected…' }).click()
  await dialog.getByText('It would fail again').waitFor()
  await dialog.getByRole('button', { name: 'Close' }).click()
  await conflict.getByRole('checkbox').check()
  await act('Drop', 'dropped')
  await waitUntil('one record fewer', async () => (await rows.count()) === conflicts)

  await rows.filter({ hasText: 'refused_by_store' }).getByRole('checkbox').check()
  await act('Replay', 'replayed')
  await page.getByLabel('State').selectOption('replayed')
  await page.waitForURL(/state=replayed/)
  await page.getByRole('link', { name: 'failed again' }).click()
  await page.getByRole('heading', { name: 'Dead-letter record', exact: true }).waitFor()
  await page.getByText('refused_by_store').first().waitFor()
  await page.goBack()
  expect(await page.getByLabel('State').inputValue()).toBe('replayed')
  expectNoFlaws(watched)

  async function act(name: 'Replay' | 'Drop', outcome: string): Promise<void> {
    await page.getByRole('button', { name: `${name} 1 selected…` }).click()
    await dialog.getByText('1 record will be affected').waitFor()
    const confirm = dialog.getByRole('button', { name: `${name} 1` })
    expect(await confirm.isDisabled()).toBe(true)
    await dialog.getByLabel('Type 1 to confirm').fill('1')
    await confirm.click()
    await dialog.getByText(outcome, { exact: true }).waitFor()
    await dialog.getByRole('button', { name: 'Close' }).click()
  }
})

test('the ledger misses nothing after kill -9, and names a row that was deleted', async () => {
  const sluice = await createInstallation()
  const [tenant, gateway, killed] = await Promise.all([
    sluice.createTenant(),
    sluice.start('gateway'),
    sluice.start('storage', audits)
  ])
  const client = clientOf(gateway, tenant)
  let killing = Promise.resolve()
  for (let sent = 0; sent < accepts; sent++) {
    await client.accept({ agent_id: `agent ${sent % 9}`, input: { sent }, output: 'o' })
    if (sent === accepts / 2) killing = killed.kill()
  }
  await killing
  await sluice.start('storage', audits)
  const audited = (stored: number) =>
    waitUntil(`an audit of ${stored} stored decisions`, async () => {
      const { body } = await client.get('/v1/ingestion/ledger')
      const ledger = body['ledger'] as Ledger | null
      return ledger?.stored === stored && ledger
    })
  await audited(accepts)
  const watched = await openPage({ ...scene(), gateway })
  const { page } = watched
  await signIn(page, tenant, '/console/health')
  const ledger = page.getByRole('region', { name: 'Ledger' })
  const sum = (stored: number, missing: number) =>
    ledger.getByText(
      `${accepts} messages = ${stored} stored + 0 duplicates + 0 conflicts + ` +
        `0 dead-lettered + 0 erased + 0 in flight + ${missing} missing`
    )
  await sum(accepts, 0).waitFor()
  expect(await ledger.getByRole('alert').count()).toBe(0)

  await sluice.database.query(
    `delete from decisions where decision_id =
       (select decision_id from decisions order by received_at desc limit 1)`
  )
  const { missing_records } = await audited(accepts - 1)
  const { decision_id, partition, offset } = missing_records[0] ?? {}
  await page.reload()
  await sum(accepts - 1, 1).waitFor()
  const missing = ledger.getByRole('region', { name: 'Missing messages' })
  const name = `${decision_id} ${partition} ${offset} Its row was deleted`
  await missing.getByRole('row', { name }).waitFor()
  expectNoFlaws(watched)
})
