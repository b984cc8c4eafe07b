/** Load for storage faults: new decisions, repeated ones, and reused ids with different content. */
import { setTimeout as pause } from 'node:timers/promises'
import { onEnd } from '../../support/cleanup.ts'
import type { Balancer } from '../balancer.ts'
import { createClient } from '../client.ts'
import type { Client } from '../client.ts'
import { createRandom } from '../random.ts'
import type { Random } from '../random.ts'
import { makeSample } from '../sample.ts'
import type { Sample } from '../sample.ts'
import type { LedgerFile } from './ledger-file.ts'

/** Organization that sends decisions. */
export interface Sender {
  readonly organizationId: string
  readonly apiKey: string
}

interface StorageLoadOptions {
  readonly balancer: Balancer
  readonly ledger: LedgerFile
  readonly senders: readonly Sender[]
  readonly seed: number
}

export interface StorageLoad {
  /** Stops the clients after their current requests. */
  stop(): Promise<void>
}

const clients = 6
/**
 * Average pause of a client between requests in milliseconds. The total load is 100 to 200
 * decisions per second.
 */
const thinkMs = 80
const batchShare = 0.2
const batchMax = 12
/** Maximum time in milliseconds for retries after the load has stopped. */
const patienceMs = 30_000
/** Maximum number of decisions that a client keeps for repetitions. */
const rememberedMax = 300

/**
 * Share of each kind of decision. All other decisions are new and valid. `elsewhere` is the share
 * of requests from the second organization.
 */
const shares = { invalid: 0.02, again: 0.1, conflicting: 0.02, elsewhere: 0.01 }

interface Caller {
  readonly random: Random
  readonly senders: readonly { readonly client: Client; readonly apiKey: string }[]
  readonly remembered: Sample[]
}

export function startStorageLoad(options: StorageLoadOptions): StorageLoad {
  let stoppedAt = Infinity
  const isStopping = (): boolean => stoppedAt < Infinity
  const givesUp = (): boolean => performance.now() > stoppedAt + patienceMs
  const { below } = createRandom(options.seed)
  const callers = Array.from({ length: clients }, () => callerOf(options, below(2 ** 32), givesUp))
  const running = Promise.all(callers.map((caller) => run(caller, isStopping)))
  // `stop` reports a failure. This handler only prevents an unhandled rejection until `stop` is
  // called.
  running.catch(() => {})

  async function stop(): Promise<void> {
    stoppedAt = Math.min(stoppedAt, performance.now())
    await running
  }

  onEnd(stop)
  return { stop }
}

function callerOf(options: StorageLoadOptions, seed: number, givesUp: () => boolean): Caller {
  const { balancer, ledger, senders } = options
  const random = createRandom(seed)
  return {
    random,
    senders: senders.map(({ organizationId, apiKey }) => {
      const attempts = ledger.attemptsOf(organizationId)
      return { apiKey, client: createClient({ balancer, random, givesUp, ledger: attempts }) }
    }),
    remembered: []
  }
}

async function run({ random, senders, remembered }: Caller, isStopping: () => boolean) {
  try {
    while (!isStopping()) {
      const isBatch = random.chance(batchShare)
      const size = isBatch ? 1 + random.below(batchMax) : 1
      const samples = Array.from({ length: size }, () => nextSample(random, remembered))
      // Occasionally use the second organization, where the same id identifies another decision.
      const sender = senders[random.chance(shares.elsewhere) ? 1 : 0]
      await sender?.client.send(samples, { apiKey: sender.apiKey, isBatch })
      await pause(random.below(2 * thinkMs))
    }
  } finally {
    for (const { client } of senders) client.close()
  }
}

/** Returns a new decision, an earlier decision, or new content with an earlier id. */
function nextSample(random: Random, remembered: Sample[]): Sample {
  const draw = random.next()
  const earlier = remembered[random.below(remembered.length)]
  if (earlier !== undefined && draw < shares.again) return earlier
  if (earlier !== undefined && draw < shares.again + shares.conflicting) {
    return underAnotherId(makeSample(random, 'good'), earlier.decisionId)
  }
  const sample = makeSample(random, random.chance(shares.invalid) ? 'invalid' : 'good')
  if (sample.kind === 'good') remembered.push(sample)
  if (remembered.length > rememberedMax) remembered.shift()
  return sample
}

function underAnotherId(sample: Sample, decisionId: string): Sample {
  return { ...sample, decisionId, text: sample.text.replace(sample.decisionId, decisionId) }
}
