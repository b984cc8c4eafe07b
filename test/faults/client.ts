/** Sends decisions to gateways, records each attempt, and retries if the connection was refused or
 * the outcome is unknown.
 */
import type { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Balancer } from './balancer.ts'
import type { AttemptLog, AttemptOutcome } from './ledger.ts'
import { createConnection, post } from './post.ts'
import type { Random } from './random.ts'
import { readResponse } from './read-response.ts'
import type { Sample } from './sample.ts'

export interface Client {
  /**
   * Sends the decisions. Retries those that got a refused connection or an unknown outcome, until
   * the client gives up.
   */
  send(samples: readonly Sample[], options: SendOptions): Promise<void>
  close(): void
}

interface SendOptions {
  readonly apiKey: string
  readonly isBatch: boolean
}

interface ClientContext {
  readonly balancer: Balancer
  readonly ledger: AttemptLog
  readonly random: Random
  /** Returns true if the client must stop retrying. */
  readonly givesUp: () => boolean
}

const retryMs = 200
/**
 * Probability of giving up after an attempt, so that the test also covers decisions that are not
 * retried.
 */
const abandonShare = 0.1
const broken: AttemptOutcome = { kind: 'unknown', status: null, code: 'broken' }
const notConnected: AttemptOutcome = { kind: 'rejected', status: null, code: 'not_connected' }

export function createClient(context: ClientContext): Client {
  const { ledger, random, givesUp } = context
  const agent = createConnection()

  async function send(samples: readonly Sample[], options: SendOptions): Promise<void> {
    let open = samples
    let abandons = false
    while (open.length > 0 && !abandons) {
      const outcomes = await attempt(context, agent, { samples: open, ...options })
      open.forEach((sample, index) => ledger.record(sample, outcomes[index] ?? broken))
      open = open.filter((_, index) => isWorthRetrying(outcomes[index] ?? broken))
      if (open.length === 0) return
      abandons = givesUp() || random.chance(abandonShare)
      await pause(retryMs)
    }
  }

  return { send, close: () => agent.destroy() }
}

function isWorthRetrying({ kind, code }: AttemptOutcome): boolean {
  return kind === 'unknown' || code === notConnected.code
}

type Message = SendOptions & { readonly samples: readonly Sample[] }

async function attempt(
  { balancer, ledger, random }: ClientContext,
  agent: Agent,
  { samples, apiKey, isBatch }: Message
): Promise<readonly AttemptOutcome[]> {
  const { url } = balancer.pick(random)
  const texts = samples.map(({ text }) => text)
  const posted = await post(agent, {
    apiKey,
    url: `${url}/v1/ingest${isBatch ? '/batch' : ''}`,
    body: isBatch ? `{"decisions":[${texts.join(',')}]}` : texts.join('')
  })
  ledger.answered(typeof posted === 'string' ? null : posted.status)
  if (posted === 'broken') return samples.map(() => broken)
  if (posted === 'not_connected') return samples.map(() => notConnected)
  const ids = samples.map(({ decisionId }) => decisionId)
  const { outcomes, complaints } = readResponse(posted, ids, isBatch)
  complaints.forEach(ledger.complain)
  return outcomes
}
