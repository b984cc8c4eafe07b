/** SIGTERM under load: what was taken is finished, what was acknowledged is in the log. */
import { Agent, request } from 'node:http'
import { expect, test } from '@jest/globals'
import type { Application } from '../support/application.ts'
import { aDecisionBody } from '../support/builders.ts'
import { onEnd } from '../support/cleanup.ts'
import { createInstallation } from '../support/installation.ts'
import { readAll } from '../support/kafka.ts'
import { waitUntil } from '../support/wait-until.ts'

const callers = 16
/** Answers seen before the signal, so that it falls into steady traffic. */
const answersBefore = 300

interface Ledger {
  readonly acknowledged: string[]
  readonly statuses: Map<number, number>
  /** A new connection was not taken: the gateway no longer listens. */
  refused: number
  /** A connection that had answered before broke under a request. */
  broken: number
}

interface Load {
  readonly gateway: Application
  readonly apiKey: string
  readonly agent: Agent
  readonly ledger: Ledger
}

class BrokenConnection extends Error {}

/** Posts one decision after the other until the gateway no longer listens. */
async function call(load: Load): Promise<void> {
  const { ledger } = load
  while (ledger.refused < callers) {
    try {
      const { status, decisionId } = await post(load)
      ledger.statuses.set(status, (ledger.statuses.get(status) ?? 0) + 1)
      if (status === 202) ledger.acknowledged.push(decisionId)
    } catch (error) {
      if (error instanceof BrokenConnection) ledger.broken += 1
      else ledger.refused += 1
    }
  }
}

async function post({ gateway, apiKey, agent }: Load) {
  const decision = aDecisionBody()
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  const sent = request(`${gateway.url}/v1/ingest`, { method: 'POST', agent, headers }, (answer) => {
    answer.resume().on('end', () => resolve(answer.statusCode ?? 0))
    answer.on('error', reject)
  })
  sent.on('error', (error) =>
    reject(sent.reusedSocket ? new BrokenConnection('on a reused connection') : error)
  )
  sent.end(JSON.stringify(decision))
  return { status: await promise, decisionId: String(decision['decision_id']) }
}

test('a gateway told to stop under load answers what it took and loses nothing', async () => {
  const sluice = await createInstallation()
  const tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
  const gateway = await sluice.start('gateway')
  const agent = new Agent({ keepAlive: true, maxSockets: callers })
  onEnd(() => Promise.resolve(agent.destroy()))
  const ledger: Ledger = { acknowledged: [], statuses: new Map(), refused: 0, broken: 0 }
  const load = { gateway, apiKey: tenant.api_key, agent, ledger }

  const calls = Array.from({ length: callers }, () => call(load))
  await waitUntil('traffic is steady', () => ledger.acknowledged.length >= answersBefore)
  expect(await gateway.stop()).toBe(0)
  await Promise.all(calls)

  expect([...ledger.statuses.keys()]).toEqual([202])
  expect(ledger.broken).toBe(0)
  const records = await readAll(sluice.topics.decisions)
  const found = new Set(records.map(({ headers }) => headers['decision_id']))
  expect(ledger.acknowledged.filter((id) => !found.has(id))).toEqual([])
  expect(ledger.acknowledged.length).toBeGreaterThan(answersBefore)
})
