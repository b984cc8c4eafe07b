/** Load for evaluation faults: batches of decisions at a steady rate, some of them sent twice. */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { onEnd } from '../../support/cleanup.ts'
import type { Balancer } from '../balancer.ts'
import { createClient } from '../client.ts'
import type { Client } from '../client.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import type { Sample } from '../sample.ts'
import type { Sender } from '../storage/load.ts'
import type { EvaluationLedger } from './evaluation-ledger.ts'

interface EvaluationLoad {
  /** Sends without pauses until the given number of decisions is acknowledged, then stops. */
  complete(decisions: number): Promise<void>
  /** Stops the clients after their current requests. */
  stop(): Promise<void>
}

interface EvaluationLoadOptions {
  readonly balancer: Balancer
  readonly ledger: EvaluationLedger
  readonly sender: Sender
  readonly seed: number
  /** Decisions per second. `complete` ignores it. */
  readonly rate: number
}

const clients = 4
const batchMax = 30
/** Share of batches that are sent twice. */
const againShare = 0.05
const patienceMs = 60_000

interface Caller {
  readonly client: Client
  readonly random: Random
  last: readonly Sample[]
}

export function startEvaluationLoad(options: EvaluationLoadOptions): EvaluationLoad {
  const { ledger, sender, rate } = options
  let stoppedAt = Infinity
  let wanted: number | null = null
  const givesUp = (): boolean => performance.now() > stoppedAt + patienceMs
  const isOver = (): boolean =>
    stoppedAt < Infinity || (wanted !== null && ledger.acknowledged() >= wanted)
  const seeds = createRandom(options.seed)
  const callers = Array.from({ length: clients }, () => callerOf(options, seeds, givesUp))
  const running = Promise.all(callers.map(run))
  // `stop` reports a failure. This handler only prevents an unhandled rejection until `stop` is
  // called.
  running.catch(() => {})

  async function run(caller: Caller): Promise<void> {
    const { client, random } = caller
    try {
      while (!isOver()) {
        if (caller.last.length === 0 || !random.chance(againShare)) {
          caller.last = Array.from({ length: 1 + random.below(batchMax) }, () => makeOne(random))
        }
        const isBatch = caller.last.length > 1
        await client.send(caller.last, { apiKey: sender.apiKey, isBatch })
        if (wanted === null) await pause((caller.last.length * clients * 1000) / rate)
      }
    } finally {
      client.close()
    }
  }

  async function stop(): Promise<void> {
    stoppedAt = Math.min(stoppedAt, performance.now())
    await running
  }

  onEnd(stop)
  return {
    stop,
    complete: async (decisions) => {
      wanted = decisions
      await running
    }
  }
}

function callerOf(
  { balancer, ledger, sender }: EvaluationLoadOptions,
  seeds: Random,
  givesUp: () => boolean
): Caller {
  const random = createRandom(seeds.below(2 ** 32))
  const attempts = ledger.attemptsOf(sender.organizationId)
  return { random, last: [], client: createClient({ balancer, random, givesUp, ledger: attempts }) }
}

const agents = 40
const sessions = 5000
const answers = [
  'Yes: within 30 days, unworn, you get the full price back. Thank you for asking.',
  'No. The order was paid with a voucher, and those are not paid back.',
  'Please send the receipt first; then I can answer.',
  ''
]

/**
 * Creates a decision. Most decisions have an expected output, which can be a prefix of the actual
 * output but never equals it.
 */
function makeOne(random: Random): Sample {
  const pick = (): string => answers[random.below(answers.length)] ?? ''
  const decisionId = randomUUID()
  const metadata = random.chance(0.7) ? { expected: pick() } : { model: 'small-1' }
  const text = JSON.stringify({
    decision_id: decisionId,
    input: { question: `May I return order ${random.below(1e6)}?`, days: random.below(60) },
    output: `${pick()} ${'Indeed. '.repeat(random.below(20))}`,
    agent_id: `agent-${random.below(agents)}`,
    session_id: `session-${random.below(sessions)}`,
    domain: 'refunds',
    metadata
  })
  return { decisionId, kind: 'good', text, fingerprint: '' }
}
