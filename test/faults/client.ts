/** One caller: sends, writes into the ledger what came of it, and retries what is unknown. */
import type { Agent } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Balancer } from './balancer.ts'
import type { AttemptLog, Outcome } from './ledger.ts'
import { createConnection, post } from './post.ts'
import type { Random } from './random.ts'
import { readAnswer } from './read-answer.ts'
import type { Sample } from './sample.ts'

export interface Client {
  /** Resolves when each is settled or given up; an attempt that began is always finished. */
  send(samples: readonly Sample[], options: SendOptions): Promise<void>
  close(): void
}

export interface SendOptions {
  readonly apiKey: string
  readonly isBatch: boolean
}

export interface ClientContext {
  readonly balancer: Balancer
  readonly ledger: AttemptLog
  readonly random: Random
  /** Whether to leave unsettled what is still unknown. */
  readonly givesUp: () => boolean
}

const retryMs = 200
/** Callers that never come back show what becomes of a decision that nobody retries. */
const desertersShare = 0.1
const broken: Outcome = { kind: 'unknown', status: null, code: 'broken' }
const notConnected: Outcome = { kind: 'refused', status: null, code: 'not_connected' }

export function createClient(context: ClientContext): Client {
  const { ledger, random, givesUp } = context
  const agent = createConnection()

  async function send(samples: readonly Sample[], options: SendOptions): Promise<void> {
    let open = samples
    let deserts = false
    while (open.length > 0 && !deserts) {
      const outcomes = await attempt(context, agent, { samples: open, ...options })
      open.forEach((sample, index) => ledger.record(sample, outcomes[index] ?? broken))
      open = open.filter((_, index) => isWorthRetrying(outcomes[index] ?? broken))
      if (open.length === 0) return
      deserts = givesUp() || random.chance(desertersShare)
      await pause(retryMs)
    }
  }

  return { send, close: () => agent.destroy() }
}

function isWorthRetrying({ kind, code }: Outcome): boolean {
  return kind === 'unknown' || code === notConnected.code
}

type Message = SendOptions & { readonly samples: readonly Sample[] }

async function attempt(
  { balancer, ledger, random }: ClientContext,
  agent: Agent,
  { samples, apiKey, isBatch }: Message
): Promise<readonly Outcome[]> {
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
  const { outcomes, complaints } = readAnswer(posted, ids, isBatch)
  complaints.forEach(ledger.complain)
  return outcomes
}
