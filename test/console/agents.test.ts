/** Tests that the pages of agents show what the API returns, in a browser. */
import { beforeAll, describe, expect, test } from '@jest/globals'
import type { Page } from 'playwright-core'
import { storeAgentUsage } from '../support/agent-usage.ts'
import type { AgentDecision } from '../support/agent-usage.ts'
import { waitUntil } from '../support/wait-until.ts'
import { expectNoFlaws, openPage, useConsoleScene } from './console-scene.ts'
import { signIn } from './sign-in.ts'
import { violationsOf } from './violations.ts'

const scene = useConsoleScene({ withConsumers: false })
const hourMs = 3_600_000
const hostile = 'a%2Fb/../c?d=1&e#"f" <img src=x onerror=alert(1)> \u202e'
const tabs = ['overview', 'scores', 'versions', 'ingestion'] as const
const fewerThanPage = 50

/** Creates two decisions, received `hoursAgo` hours ago. The evaluator changed five hours ago. */
function refunds(hoursAgo: number, now: number): AgentDecision[] {
  const evaluator_version = hoursAgo > 5 ? 1 : 2
  return [true, hoursAgo % 3 > 0].map((passed) => ({
    received_at: new Date(Math.floor(now / hourMs) * hourMs - hoursAgo * hourMs + 60_000),
    agent_id: 'refunds',
    session_id: 'ticket-1',
    domain: 'eu',
    input_tokens: 100 + hoursAgo,
    output_tokens: 10,
    model: 'gpt-5',
    agent_version: hoursAgo > 12 ? '2.3.0' : '2.4.0',
    sdk_version: 'sluice-sdk/1.2.0',
    latency_ms: 200 + hoursAgo,
    is_error: hoursAgo === 3,
    status: 'evaluated',
    verdict: passed ? 'pass' : 'fail',
    scores: [
      {
        ...{ name: 'tone', value: passed ? 0.9 : 0.2, passed },
        evaluator_id: 'evl_tone',
        evaluator_version
      }
    ]
  }))
}

beforeAll(async () => {
  const { sluice, tenant, gateway } = scene()
  const now = Date.now()
  const hours = Array.from({ length: 23 }, (_, index) => index + 1)
  const others = Array.from({ length: fewerThanPage }, (_, index) => {
    return { received_at: new Date(now - hourMs), agent_id: `other ${index}` }
  })
  await storeAgentUsage(sluice.database, tenant.organization_id, [
    ...hours.filter((hour) => hour !== 12).flatMap((hour) => refunds(hour, now)),
    { received_at: new Date(now - 40 * hourMs), agent_id: 'refunds', latency_ms: 100 },
    { received_at: new Date(now - 2 * hourMs), agent_id: 'plain' },
    { received_at: new Date(now - 3 * hourMs), agent_id: hostile },
    ...others
  ])
  const headers = {
    authorization: `Bearer ${tenant.api_key}`,
    'content-type': 'application/json'
  }
  const report = { agent_id: 'refunds', dropped: { queue_full: 3 } }
  const decisions = [{ agent_id: 'refunds', input: 1 }]
  const body = JSON.stringify({ client_report: report, decisions })
  await fetch(`${gateway.url}/v1/ingest/batch`, { method: 'POST', headers, body })
})

interface Measure {
  readonly value: number | null
  readonly n: number
  readonly ci?: readonly number[] | null
}

function numberText(value: number): string {
  return value.toLocaleString('en', { maximumFractionDigits: 3 })
}

function shareText(value: number): string {
  return value.toLocaleString('en', { style: 'percent', maximumFractionDigits: 1 })
}

/** Returns the text of a measure as users see it. */
function textOf({ value, n, ci = null }: Measure, none: string, format = shareText): string {
  const interval = ci === null ? '' : `${ci.map(format).join(' to ')}, `
  return `${value === null ? none : format(value)} (${interval}n\u00a0${numberText(n)})`
}

async function read<T>(path: string): Promise<T> {
  const { status, body } = await scene().client.get(path)
  expect([path, status]).toEqual([path, 200])
  return body as T
}

/** Returns the cell texts of a table, row by row. */
async function cellsOf(page: Page, name: string): Promise<string[][]> {
  const rows = page.getByRole('region', { name, exact: true }).locator('tbody tr')
  await rows.first().waitFor()
  const found = await rows.all()
  return await Promise.all(found.map((row) => row.locator('th, td').allTextContents()))
}

async function openAgent(page: Page, id: string, query = ''): Promise<void> {
  await signIn(page, scene().tenant, `/console/agents/${encodeURIComponent(id)}${query}`)
}

describe('the list of agents', () => {
  test('shows what the API returns, page by page', async () => {
    const watched = await openPage(scene())
    const { page } = watched
    await signIn(page, scene().tenant, '/console/agents?window=24h')
    const rows = await cellsOf(page, 'Agents')
    expect(rows).toHaveLength(fewerThanPage)
    const { data } = await read<{ data: { agent_id: string; pass_rate: Measure }[] }>(
      '/v1/profiles?window=24h'
    )
    expect(rows.map(([name, , , , , rate]) => [name, rate])).toEqual(
      data.map((agent) => {
        const name = agent.agent_id === hostile ? hostile.replace('\u202e', '') : agent.agent_id
        return [expect.stringContaining(name), textOf(agent.pass_rate, 'no verdict')]
      })
    )
    const [first = []] = rows
    expect(first.slice(3)).toEqual([
      ...['44', '', textOf(data[0]?.pass_rate ?? { value: null, n: 0 }, 'no verdict')],
      ...[expect.stringMatching(/^[\d,]+$/), 'no price', '2.4.0, 2.3.0', 'sluice-sdk/1.2.0'],
      '4.5% errors (n\u00a044)'
    ])
    const trend = page.getByRole('img', { name: /at most 2$/ })
    expect(await trend.locator('polyline').getAttribute('points')).toMatch(/^0,/)
    await page.getByRole('button', { name: 'Load more' }).click()
    await waitUntil('all agents', async () => {
      return (await cellsOf(page, 'Agents')).length === fewerThanPage + 3
    })
    expectNoFlaws(watched)
  })

  test('keeps search, order and window in the URL, and Back undoes the last change', async () => {
    const { page } = await openPage(scene())
    await signIn(page, scene().tenant, '/console/agents')
    await page.getByPlaceholder('Part of the name').fill('R')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.waitForURL(/q=R/)
    await page.getByLabel('Order').selectOption('name')
    await page.getByLabel('Window').selectOption('30d')
    await page.waitForURL(/sort=name.*window=30d|window=30d.*sort=name/)
    await waitUntil('the order', async () => {
      return (await cellsOf(page, 'Agents'))[0]?.[0]?.startsWith('a%2Fb') === true
    })
    await page.reload()
    expect(await page.getByPlaceholder('Part of the name').inputValue()).toBe('R')
    await page.goBack()
    expect(await page.getByLabel('Window').inputValue()).toBe('7d')
    expect(await page.getByLabel('Order').inputValue()).toBe('name')
    await page.getByPlaceholder('Part of the name').fill('absent')
    await page.getByRole('button', { name: 'Search' }).click()
    await page.getByRole('link', { name: /No agent matches/ }).click()
    await page.getByRole('link', { name: 'refunds' }).waitFor()
  })

  test('of an empty organization says how to send the first decision', async () => {
    const { page } = await openPage(scene())
    await signIn(page, await scene().sluice.createTenant(), '/console/agents')
    await page.getByText('No decisions yet. Send the first one:').waitFor()
  })
})

/** Counts the pieces of the first line of a chart: sequences of columns with its color. */
async function piecesOf(page: Page, title: string): Promise<number> {
  return await page.evaluate<number>(`{
    // Narrower gaps are those within the circles of points.
    const gap = 5
    const sections = [...document.querySelectorAll('.trends > section')]
    const section = sections.find((each) => each.textContent.startsWith(${JSON.stringify(title)}))
    const canvas = section?.querySelector('canvas')
    const { width, height } = canvas ?? { width: 0, height: 0 }
    const context = canvas?.getContext('2d')
    const data = context?.getImageData(0, 0, width, height).data
    const isLine = (at) =>
      data[at + 3] > 200 && Math.abs(data[at] - 47) + Math.abs(data[at + 2] - 214) < 40
    const columns = Array.from({ length: width }, (_, x) =>
      Array.from({ length: height }, (_, y) => 4 * (y * width + x)).some(isLine)
    )
    const isStart = (isOn, x) => isOn && !columns.slice(Math.max(0, x - gap), x).includes(true)
    columns.filter(isStart).length
  }`)
}

interface Trends {
  readonly series: {
    readonly metric: string
    readonly points: readonly (Measure & { readonly t: string })[]
    readonly total: Measure
    readonly previous: Measure
  }[]
  readonly breaks: readonly { readonly at: string }[]
}

describe('the page of an agent', () => {
  test('breaks lines at gaps and new evaluator versions, and shows n or "not sent"', async () => {
    const watched = await openPage(scene())
    const { page } = watched
    await openAgent(page, 'refunds', '?window=24h')
    await page.getByText('tone v1 → v2').first().waitFor()
    const { breaks } = await read<Trends>(
      '/v1/profiles/refunds/timeseries?window=24h&metrics=score:tone'
    )
    const time = page.getByText('tone v1 → v2').locator('time').first()
    expect(await time.getAttribute('datetime')).toBe(breaks[0]?.at)
    // One gap is the hour without decisions, the other is the change of the evaluator.
    await waitUntil('the line', async () => (await piecesOf(page, 'Pass rate')) === 3)
    expect(await piecesOf(page, 'Mean latency')).toBe(2)
    const { series } = await read<Trends>(
      '/v1/profiles/refunds/timeseries?window=24h&compare=previous&metrics=pass_rate,latency_ms'
    )
    const text = await page.locator('.trends').innerText()
    for (const { metric, total, previous } of series) {
      const [none, format] =
        metric === 'pass_rate'
          ? (['no verdict', shareText] as const)
          : (['not sent', numberText] as const)
      const before = textOf(previous, none, format)
      expect(text).toContain(`${textOf(total, none, format)} · previous window: ${before}`)
    }
    await page.goto('/console/agents/plain')
    const latency = page.locator('section').filter({ hasText: 'Mean latency' })
    await latency.getByText('not sent (n 0)').first().waitFor()
    expect(await latency.locator('canvas').count()).toBe(0)
    expectNoFlaws(watched)
  })

  test('has a table of each chart, with a link to the decisions of each point', async () => {
    const { page } = await openPage(scene())
    await openAgent(page, 'refunds', '?window=24h')
    await page.getByText('Table of Pass rate').click()
    const cells = await cellsOf(page, 'Pass rate')
    const { series } = await read<Trends>(
      '/v1/profiles/refunds/timeseries?window=24h&metrics=pass_rate&tz=Asia/Kolkata'
    )
    const points = series[0]?.points ?? []
    expect(points.length).toBeGreaterThan(20)
    expect(cells.map(([, rate]) => rate)).toEqual(points.map((each) => textOf(each, 'no verdict')))
    const region = page.getByRole('region', { name: 'Pass rate', exact: true })
    const first = points.findIndex(({ n }) => n > 0)
    await region.getByRole('link').nth(first).click()
    await page.waitForURL(/decisions\?q=agent%3Arefunds&from=/)
    await page.locator('[role=row][aria-selected]').first().waitFor()
    expect(await page.locator('[role=row][aria-selected]').count()).toBe(points[first]?.n)
  })

  test('lists scores, versions and their comparison as the API returns them', async () => {
    const { page } = await openPage(scene())
    await openAgent(page, 'refunds', '?window=24h&tab=scores')
    const { scores } = await read<{
      scores: { mean: number; mean_ci: number[]; n_valued: number }[]
    }>('/v1/profiles/refunds/scores?window=24h')
    const means = scores.map(({ mean: value, mean_ci: ci, n_valued: n }) => {
      return textOf({ value, n, ci }, 'no data', numberText)
    })
    expect((await cellsOf(page, 'Scores')).map(([, , , mean]) => mean)).toEqual(means)
    await page.getByText('evaluator v1:').waitFor()
    await page.getByRole('link', { name: 'versions' }).click()
    expect((await cellsOf(page, 'Versions')).map(([value]) => value)).toEqual(['2.4.0', '2.3.0'])
    await page.getByLabel('Version A').selectOption('2.3.0')
    await page.getByLabel('Version B').selectOption('2.4.0')
    const { measures } = await read<{ measures: Record<string, { a: Measure; b: Measure }> }>(
      '/v1/profiles/refunds/compare?window=24h&a=2.3.0&b=2.4.0'
    )
    const compared = await cellsOf(page, 'Comparison')
    expect(compared.slice(0, 5).map(([, a, b]) => [a, b])).toEqual(
      Object.values(measures).map(({ a, b }) =>
        [a, b].map((side) => textOf(side, 'not sent', numberText))
      )
    )
    expect(page.url()).toMatch(/a=2\.3\.0&b=2\.4\.0/)
  })

  test('shows rejected and dropped decisions', async () => {
    await waitUntil('the counters', async () => {
      const { ingestion } = await read<{ ingestion: { dropped: object; rejected: object } | null }>(
        '/v1/profiles/refunds/ingestion'
      )
      return Object.keys({ ...ingestion?.dropped, ...ingestion?.rejected }).length === 2
    })
    const { page } = await openPage(scene())
    await openAgent(page, 'refunds', '?tab=ingestion')
    expect(await cellsOf(page, 'Dropped by the SDK')).toEqual([['queue_full', '3']])
    expect(await cellsOf(page, 'Rejected by the gateway')).toEqual([['invalid_decision', '1']])
  })

  test('works for any agent id, and links to the decisions', async () => {
    const watched = await openPage(scene())
    const { page } = watched
    await signIn(page, scene().tenant, '/console/agents?q=onerror')
    await page.getByRole('link', { name: 'onerror' }).click()
    await page.getByRole('heading', { level: 1, name: /onerror.*⟨RLO⟩/ }).waitFor()
    await page.getByText('no verdict (n 0)').first().waitFor()
    await page.getByRole('link', { name: 'decisions', exact: true }).click()
    await page.locator('[role=row][aria-selected]').waitFor()
    expectNoFlaws(watched)
  })

  test('lets members change the name, and says that others may not', async () => {
    const { page } = await openPage(scene())
    await openAgent(page, 'plain')
    await page.getByRole('button', { name: 'Rename' }).click()
    await page.getByLabel('Name', { exact: true }).fill('x'.repeat(201))
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await page.locator('.field-error').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Plain agent')
    await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
    await page.getByRole('heading', { level: 1, name: 'Plain agent' }).waitFor()
    expect(await read('/v1/profiles/plain')).toMatchObject({ name: 'Plain agent' })
    await page.route('**/v1/auth/me', async (route) => {
      const response = await route.fetch()
      const json = { ...((await response.json()) as object), role: 'viewer' }
      await route.fulfill({ response, json })
    })
    await page.reload()
    await page.getByRole('button', { name: 'Rename' }).and(page.locator('[title]')).waitFor()
  })

  test('keeps its data after an error, which says when to retry', async () => {
    const { page } = await openPage(scene())
    await openAgent(page, 'refunds', '?window=24h')
    await page.getByText('tone v1 → v2').first().waitFor()
    const problem = {
      title: 'Too many requests',
      detail: 'Wait.',
      code: 'rate_limited',
      status: 429
    }
    await page.route('**/v1/profiles/refunds?*', async (route) => {
      const headers = { 'retry-after': '2', 'content-type': 'application/problem+json' }
      const body = JSON.stringify({ ...problem, retryable: true, request_id: 'request-1' })
      await route.fulfill({ status: 429, headers, body })
    })
    await page.getByLabel('Window').selectOption('30d')
    await page.getByText('request-1').waitFor()
    await page.getByRole('button', { name: /Retry in \d s/ }).waitFor()
    expect(await page.locator('.trends').isVisible()).toBe(true)
    await page.unroute('**/v1/profiles/refunds?*')
    await page.getByRole('button', { name: 'Retry', exact: true }).click()
    await page.getByRole('alert').waitFor({ state: 'detached' })
  })

  test('is the same for an unknown agent and for an agent of another organization', async () => {
    const { page } = await openPage(scene())
    await openAgent(page, 'nothing')
    const sentence = page.getByText('No agent with this id has a stored decision')
    await sentence.waitFor()
    const other = await openPage(scene())
    const stranger = await scene().sluice.createTenant()
    await signIn(other.page, stranger, '/console/agents/refunds')
    await other.page.getByText('No agent with this id has a stored decision').waitFor()
  })
})

describe.each(['light', 'dark'] as const)('in %s', (colorScheme) => {
  test('no page violates WCAG 2.2 AA or the Content-Security-Policy', async () => {
    const watched = await openPage(scene(), { colorScheme })
    const { page } = watched
    await signIn(page, scene().tenant, '/console/agents')
    await cellsOf(page, 'Agents')
    expect(await violationsOf(page)).toEqual([])
    for (const tab of tabs) {
      await page.goto(`/console/agents/refunds?window=24h&tab=${tab}&a=2.3.0&b=2.4.0`)
      await page.locator('main section').first().waitFor()
      await page.waitForLoadState('networkidle')
      for (const summary of await page.locator('summary').all()) await summary.click()
      expect([tab, await violationsOf(page)]).toEqual([tab, []])
    }
    await page.getByRole('button', { name: 'Rename' }).click()
    expect(await violationsOf(page)).toEqual([])
    expectNoFlaws(watched)
  })
})
