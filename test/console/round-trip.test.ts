/** Tests that the console shows and copies a hostile payload byte for byte, and runs none of it. */
import { readFileSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import type { Locator } from 'playwright-core'
import { run } from '../support/run-to-end.ts'
import { waitUntil } from '../support/wait-until.ts'
import { copiedBy, expectNoFlaws, openPage, useConsoleScene } from './console-scene.ts'
import { signIn } from './sign-in.ts'

const scene = useConsoleScene()

/** Written as raw text, because JSON.stringify cannot produce most of it. */
const input = String.raw`{ "big": 9007199254740993, "huge": 1e400, "zero": -0,
  "2":"b","1":"a", "__proto__": {"x": [ ]}, "a":1, "\u0061b": 2, "nul": "\u0000",
  "emoji": "😀", "bidi": "${'\u202e'}مرحبا${'\u202c'} 'quoted' $HOME ${'`id`'}",
  "html": "<img src=x onerror=alert(1)><script>alert(1)</script>",
  "link": "javascript:alert(1)", "url": "https://example.com/x.png" }`
const output = String.raw`"<svg onload=alert(1)> \u202e [x](javascript:alert(1)) \\ \" \/"`
const metadata = '{"model":"<b>m</b>","latency_ms":12.50}'
const agent = '<i>agent</i>\u202e'

async function send(): Promise<string> {
  const { gateway, tenant } = scene()
  const body =
    `{"input":${input},"output":${output},"metadata":${metadata},` +
    `"agent_id":${JSON.stringify(agent)},"session_id":"s 1"}`
  const headers = {
    authorization: `Bearer ${tenant.api_key}`,
    'content-type': 'application/json'
  }
  const response = await fetch(`${gateway.url}/v1/ingest`, { method: 'POST', headers, body })
  expect(response.status).toBe(202)
  return ((await response.json()) as { decision_id: string }).decision_id
}

async function fingerprintsOf(ids: readonly string[]): Promise<string[]> {
  const rows = await waitUntil('both decisions to be stored', async () => {
    const found = await scene().sluice.database.query<{ fingerprint: Buffer }>(
      'select fingerprint from decision_ids where decision_id = any($1::uuid[])',
      [ids]
    )
    return found.length === ids.length ? found : null
  })
  return rows.map(({ fingerprint }) => fingerprint.toString('hex'))
}

/** Presses a button that saves a file, and returns the file. */
async function savedBy(place: Locator, name: string) {
  const waiting = place.page().waitForEvent('download')
  await place.getByRole('button', { name, exact: true }).click()
  const file = await waiting
  return { name: file.suggestedFilename(), text: readFileSync(await file.path(), 'utf8') }
}

test('a hostile decision is listed, shown and copied as it was sent', async () => {
  const { gateway, tenant } = scene()
  const id = await send()
  const watched = await openPage(scene())
  const { page } = watched
  await page.addInitScript("window.alert = () => console.error('a payload ran')")
  await signIn(page, tenant, `/console/decisions/${id}`)
  await page.getByText('9007199254740993').first().waitFor()
  await page.getByText('1e400').first().waitFor()

  expect(await copiedBy(page, 'Copy input')).toBe(input)
  // The output is a string, so the API may escape it differently.
  expect(JSON.parse(await copiedBy(page, 'Copy output'))).toBe(JSON.parse(output))
  expect(await copiedBy(page, 'Copy metadata')).toBe(metadata)
  expect(await copiedBy(page, 'Copy id')).toBe(id)

  const viewer = page.getByRole('group', { name: 'Input', exact: true })
  await viewer.getByRole('button', { name: 'Raw' }).click()
  const cells = viewer.getByRole('grid').getByRole('gridcell')
  await cells.first().waitFor()
  expect((await cells.allTextContents()).join('')).toBe(input)
  const [part, whole] = [
    await savedBy(viewer, 'Download'),
    await savedBy(page.locator('.actions'), 'Download JSON')
  ]
  expect(part).toEqual({ name: 'input.json', text: input })
  expect(whole.name).toBe(`decision-${id}.json`)
  expect(whole.text).toContain(`"input":${input}`)
  expect(whole.text).toContain(`"metadata":${metadata}`)

  const command = await copiedBy(page, 'Copy as curl')
  expect(command).toContain(`{"input":${input},"output":`)
  const env = { ...process.env, SLUICE_API_KEY: tenant.api_key }
  const sent = await run('/bin/sh', ['-c', command.replace('curl ', 'curl -sS ')], { env })
  const { decision_id } = JSON.parse(sent.output.slice(0, sent.output.indexOf('}') + 1)) as {
    decision_id: string
  }
  const [first, second] = await fingerprintsOf([id, decision_id])
  expect(second).toBe(first)

  await page.getByRole('link', { name: 'Decisions' }).first().click()
  await page.getByRole('gridcell', { name: '<i>agent</i>⟨RLO⟩' }).first().waitFor()
  expect(
    await page.locator('img, svg, iframe, .table i, .table a[href^="javascript"]').count()
  ).toBe(0)
  expect(new URL(page.url()).origin).toBe(new URL(gateway.url).origin)
  expectNoFlaws(watched)
})

test('the evaluation has one line for each planned run, with its score and reason', async () => {
  const { client, tenant } = scene()
  const id = await client.accept({ input: { question: '2+2?' }, output: '4', agent_id: 'adder' })
  await waitUntil('the evaluation', async () => {
    const { body } = await client.get(`/v1/evaluation/${id}`)
    return body['status'] === 'evaluated'
  })
  const { body } = await client.get(`/v1/evaluation/${id}`)
  const plan = body['plan'] as { evaluator: string | null; outcome: string }[]
  const watched = await openPage(scene())
  const { page } = watched
  await signIn(page, tenant, `/console/decisions/${id}`)
  await page.getByRole('cell', { name: 'succeeded' }).first().waitFor()
  for (const { evaluator } of plan) {
    expect(await page.getByRole('cell', { name: `${evaluator} v` }).count()).toBeGreaterThan(0)
  }
  expect(plan.length).toBeGreaterThan(0)
  expectNoFlaws(watched)
})

test('an id of another organization looks like one that never existed', async () => {
  const { sluice, tenant, gateway } = scene()
  const id = await send()
  const stranger = await sluice.createTenant()
  const texts: string[] = []
  const { page } = await openPage(scene())
  await signIn(page, stranger)
  for (const each of [id, '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55']) {
    await page.goto(`${gateway.url}/console/decisions/${each}`)
    await page.getByText('No decision with this id').waitFor()
    texts.push(await page.getByRole('main').innerText())
  }
  expect(texts[1]).toBe(texts[0])
  expect(tenant.organization_id).not.toBe(stranger.organization_id)
})
