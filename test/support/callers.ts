/** Simulates callers that post one decision after another, and records the responses. */
import { Agent, request } from 'node:http'
import { aDecisionBody } from './builders.ts'
import { onEnd } from './cleanup.ts'

/** Responses to one caller. Each caller has its own connection. */
export type Ledger = {
  readonly acknowledged: string[]
  readonly statuses: number[]
  /** Number of requests that failed on a reused connection. */
  broken: number
  /** Number of requests that failed on a new connection. */
  refused: number
}

export type Callers = {
  readonly ledgers: readonly Ledger[]
  /** Returns the ids of all callers' acknowledged decisions. */
  acknowledged(): string[]
  statuses(): Map<number, number>
  /** Stops the callers after their current requests. */
  stop(): Promise<void>
}

type Target = { readonly url: string; readonly apiKey: string }

const patienceMs = 20_000

/**
 * Starts `count` callers. Each runs until it is stopped, or until `count` of its new connections
 * have failed.
 */
export function startCallers(target: Target, count: number): Callers {
  let isStopped = false
  const ledgers = Array.from({ length: count }, (): Ledger => {
    return { acknowledged: [], statuses: [], broken: 0, refused: 0 }
  })

  async function call(ledger: Ledger): Promise<void> {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onEnd(() => Promise.resolve(agent.destroy()))
    while (!isStopped && ledger.refused < count) await post(target, agent, ledger)
    agent.destroy()
  }

  const running = ledgers.map(call)
  return {
    ledgers,
    acknowledged: () => ledgers.flatMap(({ acknowledged }) => acknowledged),
    statuses: () => {
      const all = ledgers.flatMap(({ statuses }) => statuses)
      return new Map([...new Set(all)].map((status) => [status, countOf(all, status)]))
    },
    stop: async () => {
      isStopped = true
      await Promise.all(running)
    }
  }
}

function countOf(all: readonly number[], status: number): number {
  return all.filter((each) => each === status).length
}

async function post({ url, apiKey }: Target, agent: Agent, ledger: Ledger): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const options = { method: 'POST', agent, headers, timeout: patienceMs }
  const decision = aDecisionBody()
  const sent = request(`${url}/v1/ingest`, options, (answer) => {
    answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    answer.on('error', reject)
  })
  sent.on('timeout', () => sent.destroy(new Error('no response')))
  sent.on('error', reject)
  sent.end(JSON.stringify(decision))
  try {
    const status = await promise
    ledger.statuses.push(status)
    if (status === 202) ledger.acknowledged.push(String(decision['decision_id']))
  } catch {
    if (sent.reusedSocket) ledger.broken += 1
    else ledger.refused += 1
  }
}
