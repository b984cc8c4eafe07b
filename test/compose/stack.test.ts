/** Tests docker-compose.yml with Docker and Prometheus: requests, crashes, stop and removal.
 *
 * Each test depends on the previous ones. Grafana is not tested here.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { createApiClient } from '../../stack/tour/api-client.ts'
import { recordedNames } from '../support/alert-rules.ts'
import { createComposeProject } from '../support/deploy/compose-project.ts'
import type { ComposeProject } from '../support/deploy/compose-project.ts'
import { waitUntil } from '../support/wait-until.ts'

const buildMs = 9 * 60_000
const storyMs = 5 * 60_000
const measuredMs = 120_000
const processes = ['gateway', 'storage', 'evaluation']
const below = ['kafka', 'registry', 'redis', 'postgres']
const login = ['you@sluice.local', 'local-development-only'] as const
const decisionId = randomUUID()
const loadCount = 30

let project: ComposeProject

beforeAll(async () => {
  project = await createComposeProject(`sluice-test-${randomBytes(4).toString('hex')}`)
  await project.compose('build')
  await up()
}, buildMs)

async function up(): Promise<void> {
  await project.compose('up', '-d', ...processes, 'prometheus')
  await project.healthy(...processes, 'prometheus')
}

function api() {
  return createApiClient(`http://127.0.0.1:${project.ports.GATEWAY_PORT}`)
}

async function bootstrapKey(): Promise<string> {
  const log = await project.compose('logs', 'bootstrap')
  const [, key = ''] = /"api_key":"([^"]+)"/.exec(log) ?? []
  return key
}

/** Reads the decision through the API, and waits up to 20 seconds for its evaluation. */
async function readBack() {
  const { body } = await api().login(...login)
  const path = `/v1/decisions/${decisionId}?wait=20&until=evaluated`
  return await api().read(String(body['access_token']), path)
}

async function askPrometheus<T>(path: string): Promise<T> {
  const answer = await fetch(`http://127.0.0.1:${project.ports.PROMETHEUS_PORT}/api/v1/${path}`)
  const { status, data } = (await answer.json()) as { status: string; data: T }
  if (status !== 'success') throw new Error(`Prometheus answered ${answer.status}`)
  return data
}

/** Returns the sum of a query's results; null if there are none. */
async function query(expression: string): Promise<number | null> {
  const path = `query?query=${encodeURIComponent(expression)}`
  const { result } = await askPrometheus<{ result: { value: [number, string] }[] }>(path)
  if (result.length === 0) return null
  return result.reduce((sum, { value }) => sum + Number(value[1]), 0)
}

const expected = {
  status: 200,
  body: { output: '4', input: { question: '2+2?' }, evaluation: { status: 'evaluated' } }
}

test(
  'accepts a decision with the bootstrap key and returns it with its scores',
  async () => {
    const decision = {
      decision_id: decisionId,
      agent_id: 'my-agent',
      input: { question: '2+2?' },
      output: '4'
    }
    const accepted = await api().ingest(await bootstrapKey(), decision)
    expect(accepted).toMatchObject({ status: 202, body: { decision_id: decisionId } })
    expect(await readBack()).toMatchObject(expected)
  },
  storyMs
)

test(
  'acknowledges the load and prints the count',
  async () => {
    const size = ['-e', 'LOAD_RATE=10', '-e', `LOAD_SECONDS=${loadCount / 10}`]
    const output = await project.compose('run', '--rm', '-T', ...size, 'load')
    expect(output).toMatch(new RegExp(`acknowledged +${loadCount}\\b`))
  },
  storyMs
)

describe('Prometheus', () => {
  test(
    'scrapes gateway, storage and evaluation',
    async () => {
      const jobs = await waitUntil(
        'every target to be up',
        async () => {
          const { activeTargets } = await askPrometheus<{
            activeTargets: { labels: { job: string }; health: string; lastError: string }[]
          }>('targets')
          const isUp = activeTargets.every(({ health }) => health === 'up')
          return isUp && activeTargets.map(({ labels }) => labels.job).toSorted()
        },
        measuredMs
      )
      expect(jobs).toEqual([...processes, 'prometheus'].toSorted())
    },
    storyMs
  )

  test(
    'counts acknowledged decisions',
    async () => {
      const counted = await waitUntil(
        'the count to be scraped',
        async () => {
          const sum = await query('sluice_ingest_outcomes_total{outcome="queued"}')
          return sum === 1 + loadCount && sum
        },
        measuredMs
      )
      expect(counted).toBe(1 + loadCount)
    },
    storyMs
  )

  test(
    'evaluates every rule without an error',
    async () => {
      const { groups } = await askPrometheus<{
        groups: { rules: { name: string; health: string; lastError?: string }[] }[]
      }>('rules')
      const bad = groups.flatMap(({ rules }) => rules.filter(({ health }) => health !== 'ok'))
      expect(bad).toEqual([])
      const names = groups.flatMap(({ rules }) => rules.map(({ name }) => name))
      expect(names).toEqual(expect.arrayContaining(recordedNames))
    },
    storyMs
  )

  test(
    'has a value for every recorded series, and no errors',
    async () => {
      for (const name of recordedNames) {
        await waitUntil(`${name} to have a value`, async () => await query(name), measuredMs)
      }
      expect(await query('sluice:slo_errors:rate5m{slo="availability"}')).toBe(0)
    },
    storyMs
  )
})

test('runs processes as an unprivileged user with a read-only file system', async () => {
  for (const service of processes) {
    const shell =
      'id -u; grep CapBnd /proc/self/status; touch /app/x 2>&1 || touch /tmp/x && echo ok'
    const output = await project.compose('exec', '-T', service, 'sh', '-c', shell)
    expect(output).toMatch(/^1000\nCapBnd:\s+0+\n.*Read-only file system\nok\n$/)
  }
})

test('every container has the command line', async () => {
  const tail = ['sluice', 'tail', '--decision', decisionId, '--from-beginning', '--no-payload']
  const output = await project.compose('exec', '-T', 'storage', ...tail)
  expect(JSON.parse(output)).toMatchObject({ decision_id: decisionId, agent_id: 'my-agent' })
})

test(
  'restarts a killed process',
  async () => {
    for (const service of processes) {
      const { Pid } = await project.state(service)
      // Kill the process from outside the container, because Docker does not restart a container
      // after `docker kill`.
      const outside = ['--pid=host', '--user=0', '--entrypoint=sh', project.image]
      await project.docker('run', '--rm', ...outside, '-c', `kill -9 ${Pid}`)
    }
    for (const service of processes) {
      const isBack = async () => (await project.restarts(service)) > 0
      await waitUntil(`${service} to be restarted`, isBack)
    }
    await project.healthy(...processes)
    expect(await readBack()).toMatchObject(expected)
  },
  storyMs
)

test(
  'stops Sluice with exit code 0 before its services',
  async () => {
    await project.compose('stop')
    const ours = await Promise.all(processes.map(project.state))
    expect(ours.map(({ ExitCode }) => ExitCode)).toEqual([0, 0, 0])
    const others = await Promise.all(below.map(project.state))
    const lastOfOurs =
      ours
        .map(({ FinishedAt }) => FinishedAt)
        .toSorted()
        .at(-1) ?? ''
    const firstOfOthers = others.map(({ FinishedAt }) => FinishedAt).toSorted()[0] ?? ''
    expect(lastOfOurs < firstOfOthers).toBe(true)
  },
  storyMs
)

test(
  'keeps data and key over down and up, and leaves nothing after down -v',
  async () => {
    const key = await bootstrapKey()
    await project.compose('--profile', 'observability', 'down')
    await up()
    expect(await bootstrapKey()).toBe(key)
    expect(await readBack()).toMatchObject(expected)
    const before = 'max_over_time(sluice_ingest_outcomes_total{outcome="queued"}[1h])'
    expect(await query(before)).toBeGreaterThanOrEqual(1 + loadCount)
    await project.compose('--profile', 'observability', '--profile', 'load', 'down', '-v')
    expect(await project.remains()).toEqual([])
  },
  storyMs
)
