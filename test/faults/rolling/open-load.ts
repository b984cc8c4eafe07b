/** Callers who do not wait for each other: requests begin at their times, whoever answers late. */
import type { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { onEnd } from '../../support/cleanup.ts'
import type { AttemptLog, Outcome } from '../ledger.ts'
import { createConnections, post } from '../post.ts'
import type { Answer } from '../post.ts'
import type { Random } from '../random.ts'
import { readAnswer } from '../read-answer.ts'
import { makeSample } from '../sample.ts'
import type { Sample } from '../sample.ts'

export interface OpenLoad {
  /** Resolves when everything that was begun has ended. */
  stop(): Promise<void>
  /** Requests that were begun. */
  begun(): number
  /** From the time at which a request was due to the end of its answer. */
  slowestMs(): number
  /** Decisions that nobody had answered for after some seconds. */
  readonly late: ReadonlySet<string>
}

export interface OpenLoadOptions {
  readonly url: string
  readonly ledger: AttemptLog
  readonly random: Random
  /** Requests in a second. */
  readonly rate: number
  readonly apiKey: string
  /** Of an organization that is followed, so it sends little. */
  readonly followedKey: string
}

const clients = 16
const connectionsOfClient = 2
const batchShare = 0.2
const batchMax = 12
const followedShare = 0.1
/** A tail shows what is received so long before the last that is known to be stored. */
const lateMs = 4000
const broken: Outcome = { kind: 'unknown', status: null, code: 'broken' }
const notConnected: Outcome = { kind: 'refused', status: null, code: 'not_connected' }

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

/** As strangers come: independent of each other. */
function gapMs(random: Random, rate: number): number {
  return (-Math.log(1 - random.next()) / rate) * 1000
}

/** One attempt; what fails is not sent again. Resolves with the ids of what it was about. */
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

/** What a balancer says itself is no answer of ours, and tells nothing of the decision. */
function outcomesOf(
  answer: Answer,
  samples: readonly Sample[],
  { isBatch, ledger }: Reading
): readonly Outcome[] {
  const { status, headers } = answer
  if (!/json/.test(headers['content-type'] ?? '')) {
    return samples.map(() => ({ kind: 'unknown', status, code: `balancer_${status}` }))
  }
  const ids = samples.map(({ decisionId }) => decisionId)
  const { outcomes, complaints } = readAnswer(answer, ids, isBatch)
  complaints.forEach(ledger.complain)
  return outcomes
}
