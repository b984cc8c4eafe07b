/** Tests a gateway with several workers: shared traffic, restarts, and ordered shutdown. */
import { beforeAll, expect, test } from '@jest/globals'
import { metricTable } from '../../platform/telemetry/metric-table.ts'
import type { MetricRow } from '../../platform/telemetry/metric-table.ts'
import { startApplication } from '../support/application.ts'
import type { Application } from '../support/application.ts'
import { startCallers } from '../support/callers.ts'
import type { Callers } from '../support/callers.ts'
import { createInstallation } from '../support/installation.ts'
import type { Installation, Tenant } from '../support/installation.ts'
import { readAll } from '../support/kafka.ts'
import { waitUntil } from '../support/wait-until.ts'

const count = 8
/** Number of responses that indicates steady traffic. */
const some = 200
/** Maximum time in milliseconds to wait for workers to start, even under load. */
const startMs = 120_000
const testMs = 400_000

let sluice: Installation
let tenant: Tenant

beforeAll(async () => {
  sluice = await createInstallation()
  tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
})

async function startGateway(): Promise<Application> {
  const environment = { ...sluice.environment, GATEWAY_WORKERS: '2' }
  const gateway = await startApplication('gateway', { environment, waitReady: false })
  await waitUntil('both are ready', () => areReady(gateway), startMs)
  return gateway
}

async function areReady(gateway: Application): Promise<boolean> {
  return (await valueOf(gateway, 'sluice_ready')) === 2
}

function callersOf(gateway: Application): Callers {
  return startCallers({ url: gateway.url, apiKey: tenant.api_key }, count)
}

async function accepted(callers: Callers, more = some): Promise<void> {
  const enough = callers.acknowledged().length + more
  await waitUntil('decisions are accepted', () => callers.acknowledged().length >= enough)
}

/** Returns the sum of all series of a metric, or of the series with exactly these labels. */
async function valueOf(gateway: Application, name: string, labels = ''): Promise<number> {
  const lines = (await gateway.metrics()).split('\n')
  const found = lines.filter((line) => line.startsWith(labels === '' ? name : `${name}{${labels}}`))
  return found.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

function queuedOf(gateway: Application): Promise<number> {
  return valueOf(gateway, 'sluice_ingest_outcomes_total', 'outcome="queued",reason=""')
}

/** Returns the process ids of all workers that have logged `listening`, in order. */
function workersOf(gateway: Application): number[] {
  const lines = gateway.log().split('\n')
  const listening = lines.filter((line) => line.includes('"msg":"listening"'))
  return listening.map((line) => (JSON.parse(line) as { worker: number }).worker)
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function missingFromTopic(acknowledged: readonly string[]): Promise<string[]> {
  const records = await readAll(sluice.topics.decisions)
  const found = new Set(records.map(({ headers }) => headers['decision_id']))
  return acknowledged.filter((id) => !found.has(id))
}

test(
  'exposes every metric of the table, and no label that identifies a caller',
  async () => {
    const gateway = await startGateway()
    const text = await gateway.metrics()
    const exposed = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name)
    expect(exposed.toSorted()).toEqual(Object.keys(metricTable).toSorted())
    const labels = new Set([...text.matchAll(/[{,](\w+)="/g)].map(([, label]) => label))
    const known = Object.values<MetricRow>(metricTable).flatMap((row) => [...row.labels])
    expect([...labels].filter((label) => label !== 'le' && !known.includes(label ?? ''))).toEqual(
      []
    )
    expect(await gateway.stop()).toBe(0)
  },
  testMs
)

test(
  'sums the metrics of its workers, and loses no acknowledged decision when one is killed',
  async () => {
    const gateway = await startGateway()
    const quiet = callersOf(gateway)
    await accepted(quiet)
    await quiet.stop()
    const before = quiet.acknowledged().length
    expect(await queuedOf(gateway)).toBe(before)
    const statuses = 'operation="ingestDecision",status="202"'
    expect(await valueOf(gateway, 'sluice_http_requests_total', statuses)).toBe(before)

    const callers = callersOf(gateway)
    await accepted(callers)
    const listened = workersOf(gateway)
    expect(listened).toHaveLength(2)
    const seen = [await queuedOf(gateway)]
    process.kill(Number(listened[0]), 'SIGKILL')
    const hasFollowed = async (): Promise<boolean> => {
      seen.push(await queuedOf(gateway))
      return workersOf(gateway).length > listened.length
    }
    await waitUntil('a new worker listens', hasFollowed, startMs).catch((cause: unknown) => {
      throw new Error(`none followed:\n${gateway.log()}`, { cause })
    })
    await waitUntil('both are ready again', () => areReady(gateway), startMs)
    await accepted(callers)
    await callers.stop()
    seen.push(await queuedOf(gateway))

    // Only callers of the killed worker have broken connections.
    const broken = callers.ledgers.filter((ledger) => ledger.broken > 0)
    expect(broken.length).toBeGreaterThan(0)
    expect(broken.length).toBeLessThan(count)
    expect(callers.ledgers.every(({ acknowledged }) => acknowledged.length > 0)).toBe(true)
    expect([...callers.statuses().keys()]).toEqual([202])
    expect(await missingFromTopic(callers.acknowledged())).toEqual([])
    expect(seen).toEqual(seen.toSorted((left, right) => left - right))
    const answered = before + callers.acknowledged().length
    expect(seen.at(-1)).toBeLessThanOrEqual(answered + broken.length)
    expect(await valueOf(gateway, 'sluice_worker_restarts_total')).toBe(1)
    expect(await gateway.stop()).toBe(0)
  },
  testMs
)

test(
  'completes all admitted requests and leaves no process when it is stopped under load',
  async () => {
    const gateway = await startGateway()
    const callers = callersOf(gateway)
    await accepted(callers)
    const stopped = gateway.stop()
    await waitUntil('it is not ready', async () => !(await gateway.isReady()))
    // A stopping gateway keeps accepting requests for a while, so that load balancers notice the
    // shutdown.
    await accepted(callers, 1)
    expect(await stopped).toBe(0)
    await callers.stop()

    expect([...callers.statuses().keys()]).toEqual([202])
    expect(callers.ledgers.map(({ broken }) => broken)).toEqual(Array(count).fill(0))
    expect(await missingFromTopic(callers.acknowledged())).toEqual([])
    expect(workersOf(gateway)).toHaveLength(2)
    expect([gateway.pid, ...workersOf(gateway)].filter(isRunning)).toEqual([])
    expect(gateway.log()).not.toContain('stop step failed')
  },
  testMs
)

test(
  'workers complete admitted requests and exit when their primary is killed',
  async () => {
    const gateway = await startGateway()
    const callers = callersOf(gateway)
    await accepted(callers)
    process.kill(gateway.pid, 'SIGKILL')
    await waitUntil('they have exited', () => !workersOf(gateway).some(isRunning))
    await callers.stop()

    expect([...callers.statuses().keys()]).toEqual([202])
    expect(callers.ledgers.map(({ broken }) => broken)).toEqual(Array(count).fill(0))
    expect(await missingFromTopic(callers.acknowledged())).toEqual([])
    expect(gateway.log().match(/"the primary has exited"/g)).toHaveLength(2)
  },
  testMs
)

test(
  'exits with the exit code of workers that cannot start',
  async () => {
    const first = await startGateway()
    const port = new URL(first.url).port
    const environment = { ...sluice.environment, GATEWAY_WORKERS: '2', GATEWAY_PORT: port }
    const second = await startApplication('gateway', { environment, waitReady: false })
    expect(await second.exited).toBe(1)
    expect(second.log()).toContain('EADDRINUSE')
    expect(second.log()).toContain('no worker could start')
    expect(await first.stop()).toBe(0)
  },
  testMs
)
