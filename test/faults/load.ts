/** Many clients that never pause for long, with a mix of what is accepted and what is refused. */
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
  /** Posts valid decisions of this size at once, each by a client of its own. */
  burst(count: number, bytes: number): Promise<void>
  /** Resolves when every client has finished what it began. */
  stop(): Promise<void>
}

/** By kind of item; what is limited has an organization of its own with a small limit. */
export interface Keys {
  readonly good: string
  readonly limited: string
  /** Of the right form, and nobody's. */
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
/** Between two requests of a client, on average: some hundreds of requests a second in all. */
const thinkMs = 60
const batchShare = 0.2
const batchMax = 12
/** How long clients go on retrying when the load has ended. */
const patienceMs = 30_000

/** Of a hundred requests; the rest is valid. */
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
  // A failure is told by stop; until then it must not end the process.
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

/** An invalid item stands among valid ones; a key is the same for a whole batch. */
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
