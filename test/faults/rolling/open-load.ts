/** Open-loop load: requests start at planned times, even if earlier responses are late. */
import type { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { onEnd } from '../../support/cleanup.ts'
import type { AttemptLog, AttemptOutcome } from '../ledger.ts'
import { createConnections, post } from '../post.ts'
import type { PostResponse } from '../post.ts'
import type { Random } from '../random.ts'
import { readResponse } from '../read-response.ts'
import { makeSample } from '../sample.ts'
import type { Sample } from '../sample.ts'

interface OpenLoad {
  /** Stops starting requests, and waits for those in progress. */
  stop(): Promise<void>
  begun(): number
  /**
   * Returns the longest time between the planned start of a request and the end of its response.
   */
  slowestMs(): number
  /** Decisions whose response took longer than `lateMs`. */
  readonly late: ReadonlySet<string>
}

interface OpenLoadOptions {
  readonly url: string
  readonly ledger: AttemptLog
  readonly random: Random
  readonly rate: number
  readonly apiKey: string
  /**
   * API key of the organization whose tail is followed. This organization sends a small share of
   * the decisions.
   */
  readonly followedKey: string
}

const clients = 16
const connectionsOfClient = 2
const batchShare = 0.2
const batchMax = 12
const followedShare = 0.1
/**
 * Response time in milliseconds above which a decision counts as late. The tail looks back for a
 * limited time, so it can miss late decisions.
 */
const lateMs = 4000
const broken: AttemptOutcome = { kind: 'unknown', status: null, code: 'broken' }
const notConnected: AttemptOutcome = { kind: 'rejected', status: null, code: 'not_connected' }

export function startOpenLoad(options: OpenLoadOptions): OpenLoad {
  const { random, rate } = options
  const agents = Array.from({ length: clients }, () => createConnections(connectionsOfClient))
  const open = new Set<Promise<void>>()
  const late = new Set<string>()
  const counts = { begun: 0, slowestMs: 0 }
  let isStopping = false

  function begin(dueAt: number): void {
    const agent = agents[random.below(clients)] as Agent
    counts.begun += 1
    const sent = send(options, agent).then((ids) => {
      const tookMs = performance.now() - dueAt
      counts.slowestMs = Math.max(counts.slowestMs, tookMs)
      if (tookMs > lateMs) ids.forEach((id) => late.add(id))
      open.delete(sent)
    })
    open.add(sent)
  }

  async function run(): Promise<void> {
    for (let dueAt = performance.now(); !isStopping; dueAt += gapMs(random, rate)) {
      const early = dueAt - performance.now()
      if (early > 0) await pause(early)
      begin(dueAt)
    }
  }

  const running = run()
  async function stop(): Promise<void> {
    isStopping = true
    await running
    await Promise.all(open)
    agents.forEach((agent) => agent.destroy())
  }

  onEnd(stop)
  return { stop, late, begun: () => counts.begun, slowestMs: () => counts.slowestMs }
}

/**
 * Returns a random pause in milliseconds. It is exponentially distributed, like the time between
 * independent requests.
 */
function gapMs(random: Random, rate: number): number {
  return (-Math.log(1 - random.next()) / rate) * 1000
}

/** Sends one request without retries, and resolves with the ids of its decisions. */
async function send(options: OpenLoadOptions, agent: Agent): Promise<readonly string[]> {
  const { random, ledger } = options
  const apiKey = random.chance(followedShare) ? options.followedKey : options.apiKey
  const isBatch = random.chance(batchShare)
  const size = isBatch ? 1 + random.below(batchMax) : 1
  const samples = Array.from({ length: size }, () => makeSample(random, 'good'))
  const texts = samples.map(({ text }) => text)
  const posted = await post(agent, {
    apiKey,
    url: `${options.url}/v1/ingest${isBatch ? '/batch' : ''}`,
    body: isBatch ? `{"decisions":[${texts.join(',')}]}` : texts.join('')
  })
  ledger.answered(typeof posted === 'string' ? null : posted.status)
  const outcomes =
    typeof posted === 'string'
      ? samples.map(() => (posted === 'broken' ? broken : notConnected))
      : outcomesOf(posted, samples, { isBatch, ledger })
  samples.forEach((sample, index) => ledger.record(sample, outcomes[index] ?? broken))
  return samples.map(({ decisionId }) => decisionId)
}

interface Reading {
  readonly isBatch: boolean
  readonly ledger: AttemptLog
}

/**
 * Returns the outcome of each decision. If the load balancer itself responded, the outcome is
 * `unknown`.
 */
function outcomesOf(
  answer: PostResponse,
  samples: readonly Sample[],
  { isBatch, ledger }: Reading
): readonly AttemptOutcome[] {
  const { status, headers } = answer
  if (!/json/.test(headers['content-type'] ?? '')) {
    return samples.map(() => ({ kind: 'unknown', status, code: `balancer_${status}` }))
  }
  const ids = samples.map(({ decisionId }) => decisionId)
  const { outcomes, complaints } = readResponse(answer, ids, isBatch)
  complaints.forEach(ledger.complain)
  return outcomes
}
