/** Runs a rolling restart under load and reports what clients and readers saw. */
import { createApiClient } from '../../../stack/tour/api-client.ts'
import { createInstallation } from '../../support/installation.ts'
import type { Installation, Tenant } from '../../support/installation.ts'
import { endOffsets, waitUntilConsumed } from '../../support/kafka.ts'
import { waitUntil } from '../../support/wait-until.ts'
import { checkTopic } from '../check-topic.ts'
import type { TopicReport } from '../check-topic.ts'
import { createLedger } from '../ledger.ts'
import type { Ledger } from '../ledger.ts'
import { createRandom } from '../random.ts'
import { readTopic } from '../read-topic.ts'
import type { FaultSettings } from '../settings.ts'
import { startConsumers } from './consumers.ts'
import type { RollingFault } from './faults.ts'
import { startGateways } from './gateways.ts'
import { checkStoredRows } from './check-stored-rows.ts'
import type { StoredRowsReport } from './check-stored-rows.ts'
import { startOpenLoad } from './open-load.ts'
import { startFollower, startLister } from './readers.ts'

export interface RollingResult extends TopicReport, StoredRowsReport {
  readonly title: string
  readonly done: string
  readonly requests: number
  /** Number of requests that did not get a 202. */
  readonly failed: number
  /** Number of requests that never ended. */
  readonly forgotten: number
  readonly slowestSeconds: number
  readonly longestStopSeconds: number
  readonly exitCodes: readonly (number | null)[]
  readonly deadLetters: number
  readonly lists: number
  readonly tails: number
  readonly shown: number
  /**
   * Stored decisions of the followed organization that its tail did not deliver, except late ones.
   */
  readonly notShown: readonly string[]
  readonly shownAgain: number
  readonly complaints: readonly string[]
  readonly listFailures: readonly string[]
  readonly tailFailures: readonly string[]
}

/**
 * Number of acknowledgements to wait for before and after the restarts. It is large enough that
 * every connection is used.
 */
const steady = 200
const settleMs = 120_000
/**
 * Time in milliseconds for which a stopping gateway reports unready. Even on an overloaded machine,
 * a load balancer with five checks per second must detect the shutdown within this time.
 */
const unreadyMs = 8000
const turnSeconds = 4

export function roundsOf({ seconds }: FaultSettings): number {
  return Math.max(1, Math.floor(seconds / turnSeconds))
}

export function doneOf(fault: RollingFault, settings: FaultSettings): string {
  const rounds = roundsOf(settings)
  const each = fault.workers === undefined ? '' : ` of ${fault.workers} workers`
  const others =
    fault.restartsConsumers === true ? ', storage and evaluation in turn meanwhile' : ''
  const signal = fault.kills === true ? 'SIGKILL' : 'SIGTERM'
  return `${signal} to each of 2 gateways${each}, ${rounds} times, each replaced after${others}`
}

export async function runRollingFault(
  fault: RollingFault & { readonly title: string },
  settings: FaultSettings
): Promise<RollingResult> {
  const scene = await setScene(fault, settings)
  const { ledger, load, lister, gateways, consumers, balancer } = scene
  await acknowledgeMore(ledger)
  const done = new AbortController()
  const others = fault.restartsConsumers === true ? consumers.restart(done.signal) : null
  for (let round = 0; round < roundsOf(settings); round += 1) await gateways.restartAll()
  done.abort()
  await others
  await acknowledgeMore(ledger)
  await load.stop()
  await lister.stop()
  const seen = await settle(scene)
  await consumers.stop()
  await gateways.stop()
  await balancer.close()
  const requests = load.begun()
  return {
    ...{ title: fault.title, done: doneOf(fault, settings), ...seen, requests },
    failed: requests - (seen.answers['202'] ?? 0),
    forgotten: requests - Object.values(seen.answers).reduce((sum, count) => sum + count, 0),
    slowestSeconds: load.slowestMs() / 1000,
    longestStopSeconds: gateways.longestStopMs() / 1000,
    exitCodes: [...gateways.exitCodes, ...consumers.exitCodes],
    complaints: [...ledger.complaints, ...balancer.failures()],
    ...{ lists: lister.count(), listFailures: lister.failures() }
  }
}

type Scene = Awaited<ReturnType<typeof setScene>>

async function setScene(fault: RollingFault, settings: FaultSettings) {
  const installation = await createInstallation()
  const [loaded, followed] = [await tenantOf(installation), await tenantOf(installation)]
  const consumers = await startConsumers(
    installation,
    fault.restartsConsumers === true ? ['storage', 'evaluation'] : ['storage']
  )
  const environment = {
    ...installation.environment,
    SHUTDOWN_UNREADY_MS: String(unreadyMs),
    GATEWAY_WORKERS: String(fault.workers ?? 1)
  }
  const gateways = await startGateways({ environment, kills: fault.kills === true })
  const balancer = await fault.startBalancer(gateways.ports)
  const { url } = balancer
  const lister = startLister({ url, accessToken: await tokenOf(url, loaded) })
  const follower = await startFollower({ url, accessToken: await tokenOf(url, followed) })
  const ledger = createLedger()
  const load = startOpenLoad({
    ...{ url, ledger, random: createRandom(settings.seed), rate: settings.rate },
    ...{ apiKey: loaded.api_key, followedKey: followed.api_key }
  })
  return { installation, followed, consumers, gateways, balancer, lister, follower, ledger, load }
}

/**
 * Waits until storage has caught up, then compares the topic, the rows and the tail with the
 * ledger.
 */
async function settle({ installation, ledger, load, follower, followed }: Scene) {
  const { decisions, decisionsDeadLetter } = installation.topics
  await waitUntilConsumed(installation.groups.storage, decisions, settleMs)
  const rows = await installation.database.query<StoredRow>(
    'select decision_id, organization_id from decisions'
  )
  const ofFollowed = rows.filter((row) => row.organization_id === followed.organization_id)
  const timely = ofFollowed.map(idOf).filter((id) => !load.late.has(id))
  const notShown = (): string[] => {
    const shown = new Set(follower.shown())
    return timely.filter((id) => !shown.has(id))
  }
  // On timeout, the result lists the missing decisions.
  await waitUntil('the tail has shown all', () => notShown().length === 0).catch(() => {})
  await follower.stop()
  const shown = new Set(follower.shown())
  const ends = await endOffsets(decisionsDeadLetter)
  return {
    ...checkTopic(ledger, await readTopic(decisions, new Map()), { allows: [] }),
    ...checkStoredRows(ledger, rows.map(idOf)),
    deadLetters: [...ends.values()].reduce((sum, end) => sum + Number(end), 0),
    ...{ tails: follower.count(), shown: shown.size, tailFailures: follower.failures() },
    notShown: notShown(),
    shownAgain: follower.shown().length - shown.size
  }
}

type StoredRow = { readonly decision_id: string; readonly organization_id: string }

function idOf({ decision_id }: StoredRow): string {
  return decision_id
}

function tenantOf({ createTenant }: Installation): Promise<Tenant> {
  return createTenant({ rateLimit: 100_000_000 })
}

async function tokenOf(url: string, { email, password }: Tenant): Promise<string> {
  const { status, body } = await createApiClient(url).login(email, password)
  if (status !== 200) throw new Error(`the login got status ${status}: ${JSON.stringify(body)}`)
  return String(body['access_token'])
}

async function acknowledgeMore(ledger: Ledger): Promise<void> {
  const enough = ledger.acknowledged() + steady
  const isEnough = (): boolean => ledger.acknowledged() >= enough
  await waitUntil(`${steady} more are acknowledged`, isEnough, settleMs)
}
