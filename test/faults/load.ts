/** Load for gateway faults: many clients that send valid and invalid decisions. */
import { setTimeout as pause } from 'node:timers/promises'
import { onEnd } from '../support/cleanup.ts'
import type { Balancer } from './balancer.ts'
import { createClient } from './client.ts'
import type { Client } from './client.ts'
import type { Ledger } from './ledger.ts'
import { createRandom } from './random.ts'
import type { Random } from './random.ts'
import { makeSample } from './sample.ts'
import type { Kind, Sample } from './sample.ts'

export interface Load {
  /**
   * Sends `count` valid decisions concurrently, each from its own client. The output of each is
   * padded with `bytes` bytes.
   */
  burst(count: number, bytes: number): Promise<void>
  /** Stops the clients after their current requests. */
  stop(): Promise<void>
}

/** API keys. `limited` belongs to an organization with a small rate limit. */
export interface Keys {
  readonly good: string
  readonly limited: string
  /** Well-formed but unknown key. */
  readonly foreign: string
}

export interface LoadOptions {
  readonly balancer: Balancer
  readonly ledger: Ledger
  readonly keys: Keys
  readonly seed: number
}

interface Driver extends LoadOptions {
  readonly isStopping: () => boolean
  readonly givesUp: () => boolean
}

const clients = 32
/**
 * Average pause of a client between requests in milliseconds. The total load is a few hundred
 * requests per second.
 */
const thinkMs = 60
const batchShare = 0.2
const batchMax = 12
/** Maximum time in milliseconds for retries after the load has stopped. */
const patienceMs = 30_000

/** Share of each kind of request. All other requests are valid. */
const shares: readonly (readonly [Kind, number])[] = [
  ['invalid', 0.03],
  ['foreign', 0.02],
  ['limited', 0.02],
  ['oversized', 0.001]
]

export function startLoad(options: LoadOptions): Load {
  let stoppedAt = Infinity
  const driver: Driver = {
    ...options,
    isStopping: () => stoppedAt < Infinity,
    givesUp: () => performance.now() > stoppedAt + patienceMs
  }
  const random = createRandom(options.seed)
  const seeds = Array.from({ length: clients }, () => random.below(2 ** 32))
  const running = Promise.all(seeds.map((seed) => run(driver, createRandom(seed))))
  // `stop` reports a failure. This handler only prevents an unhandled rejection until `stop` is
  // called.
  running.catch(() => {})

  async function stop(): Promise<void> {
    stoppedAt = Math.min(stoppedAt, performance.now())
    await running
  }

  onEnd(stop)
  return {
    stop,
    burst: async (count, bytes) => {
      const samples = Array.from({ length: count }, () => makeSample(random, 'good', bytes))
      await Promise.all(samples.map((sample) => sendAlone(driver, random, sample)))
    }
  }
}

async function run(driver: Driver, random: Random): Promise<void> {
  const client = createClient({ ...driver, random })
  try {
    while (!driver.isStopping()) {
      await sendNext(driver, client, random)
      await pause(random.below(2 * thinkMs))
    }
  } finally {
    client.close()
  }
}

async function sendNext({ keys }: Driver, client: Client, random: Random): Promise<void> {
  const kind = kindOf(random)
  const apiKey = kind === 'foreign' || kind === 'limited' ? keys[kind] : keys.good
  const isBatch = kind !== 'oversized' && random.chance(batchShare)
  const size = isBatch ? 1 + random.below(batchMax) : 1
  const samples = Array.from({ length: size }, () => makeSample(random, neighbour(kind, random)))
  await client.send(samples, { apiKey, isBatch })
}

function kindOf(random: Random): Kind {
  let left = random.next()
  for (const [kind, share] of shares) {
    left -= share
    if (left < 0) return kind
  }
  return 'good'
}

/**
 * Returns the kind of the next item in a batch. A batch can mix valid and invalid items, but all
 * its items are sent with the same API key.
 */
function neighbour(kind: Kind, random: Random): Kind {
  return kind === 'invalid' && random.chance(0.5) ? 'good' : kind
}

async function sendAlone(driver: Driver, random: Random, sample: Sample): Promise<void> {
  const client = createClient({ ...driver, random })
  try {
    await client.send([sample], { apiKey: driver.keys.good, isBatch: false })
  } finally {
    client.close()
  }
}
