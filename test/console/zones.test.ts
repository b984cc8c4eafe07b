/** Tests that all times of all pages are in the chosen time zone, in a browser. */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { waitUntil } from '../support/wait-until.ts'
import { expectNoFlaws, openPage, useConsoleScene } from './console-scene.ts'
import { signIn } from './sign-in.ts'

const scene = useConsoleScene()
const id = randomUUID()
let recordId: string

beforeAll(async () => {
  const { client } = scene()
  const sent = { decision_id: id, agent_id: 'zoned', session_id: 's1', input: 1 }
  await client.accept({ ...sent, output: 'kept' })
  await client.accept({ ...sent, output: 'other' })
  await client.accept({ agent_id: 'zoned', session_id: 's1', input: 2, output: 'neighbor' })
  await client.ingest(scene().tenant.api_key, {})
  await client.get(`/v1/decisions/${id}?wait=30&until=evaluated`)
  recordId = await waitUntil('the dead-letter record', async () => {
    const { body } = await client.get('/v1/dead-letters')
    return (body['data'] as { dead_letter_id: string }[])[0]?.dead_letter_id
  })
})

/** Offsets from UTC in minutes. */
const zones = { UTC: 0, 'Asia/Kolkata': 330 }

const paths = [
  ...['decisions?from=-1h&peek=ID', 'decisions/ID', 'compare?a=ID&b=ID', 'agents', 'agents/zoned'],
  ...['health', 'dead-letters', 'dead-letters/RECORD', 'welcome'],
  ...['evaluation/rules', 'evaluation/evaluators', 'evaluation/evaluators/not_refusal'],
  ...['evaluation/runs', 'evaluation/health', 'settings/keys', 'settings/members'],
  ...['settings/organization', 'settings/audit', 'settings/sessions']
]

interface Shown {
  readonly times: readonly { iso: string; text: string; title: string }[]
  /** The text of the page without its times and payloads. */
  readonly rest: string
}

const readShown = `(() => {
  const main = document.querySelector('main').cloneNode(true)
  const found = [...main.querySelectorAll('time')]
  const times = found.map((time) => ({
    iso: time.dateTime,
    text: time.textContent,
    title: time.title
  }))
  for (const other of [...found, ...main.querySelectorAll('.json-view')]) other.remove()
  return { times, rest: main.textContent }
})()`

/** Checks whether a time in the zone is within two hours of now, as all times of this test are. */
function isRecent(text: string, zone: keyof typeof zones): boolean {
  const time = Date.parse(`${text.replace(' ', 'T')}Z`) - zones[zone] * 60_000
  return Math.abs(Date.now() - time) < 2 * 3_600_000
}

/** Chooses a zone, and returns how many times are shown, and the texts that are not in the zone. */
async function checkZone(page: Page, zone: keyof typeof zones) {
  await page.locator('.rail').getByLabel('Time zone').selectOption(zone)
  const { times, rest } = await page.evaluate<Shown>(readShown)
  const wrong = times.filter(({ iso, text, title }) => {
    const local = new Date(Date.parse(iso) + zones[zone] * 60_000).toISOString()
    return `${text.replace(' ', 'T')}Z` !== local || !title.includes(zone)
  })
  const others = rest.match(/\d{4}-\d\d-\d\d[T ][\d:]+Z?/g) ?? []
  const old = others.filter((text) => text.includes('T') || !isRecent(text, zone))
  return { count: times.length, wrong: [...wrong.map(({ text }) => text), ...old] }
}

test('all times of all pages are in the chosen zone, and say so', async () => {
  const watched = await openPage(scene())
  const { page } = watched
  const wrong: string[] = []
  let count = 0
  await signIn(page, scene().tenant)
  for (const path of paths) {
    const url = `/console/${path.replace('RECORD', recordId).replaceAll('ID', id)}`
    await page.goto(url, { waitUntil: 'networkidle' })
    for (const zone of ['UTC', 'Asia/Kolkata'] as const) {
      const found = await checkZone(page, zone)
      count += found.count
      wrong.push(...found.wrong.map((text) => `${path}, ${zone}: ${text}`))
    }
  }
  expect(wrong).toEqual([])
  expect(count).toBeGreaterThan(4 * paths.length)
  expectNoFlaws(watched)
}, 600_000)
