/** Tests that the evaluation backlog of one organization does not delay others, and that a killed
 * process neither loses nor duplicates evaluations.
 */
import { beforeAll, expect, test } from '@jest/globals'
import { defaultRuleSet } from '../../evaluators/default-rule-set.ts'
import type { Application } from '../support/application.ts'
import { aDecisionBody } from '../support/builders.ts'
import { clientOf, createInstallation } from '../support/installation.ts'
import type { Client, Installation, Tenant } from '../support/installation.ts'
import { readAll } from '../support/kafka.ts'
import { waitUntil } from '../support/wait-until.ts'

const decisions = 300
const rules = 11
const atOnce = 50
const timeoutMs = 60_000
/** Both organizations use the same agent id, which puts their decisions in the same partition. */
const agent_id = 'an agent of both'

let sluice: Installation
let evaluation: Application
let heavy: Tenant
let clients: Readonly<Record<'heavy' | 'light', Client>>

beforeAll(async () => {
  sluice = await createInstallation()
  heavy = await sluice.createTenant({ rateLimit: 1_000_000 })
  const light = await sluice.createTenant({ rateLimit: 1_000_000 })
  await writeRules(heavy)
  const [gateway] = await Promise.all([sluice.start('gateway'), sluice.start('storage')])
  evaluation = await sluice.start('evaluation')
  clients = { heavy: clientOf(gateway, heavy), light: clientOf(gateway, light) }
}, timeoutMs)

/** Inserts rules that plan almost the maximum number of runs per decision. */
async function writeRules({ organization_id }: Tenant): Promise<void> {
  const one = defaultRuleSet.rules[0]
  const content = {
    version: 1,
    rules: Array.from({ length: rules }, (_, index) => ({ ...one, rule_id: `rul_${index}` }))
  }
  await sluice.database.query(
    `insert into rule_sets (organization_id, version, content, created_by)
     values ($1, 1, $2, 'test')`,
    [organization_id, JSON.stringify(content)]
  )
}

async function send(count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += atOnce) {
    const bodies = Array.from({ length: atOnce }, () => aDecisionBody({ agent_id }))
    await Promise.all(bodies.map((body) => clients.heavy.accept(body)))
  }
}

async function count(what: string): Promise<number> {
  const [row] = await sluice.database.query(
    `select count(*)::integer as n from ${what} where organization_id = $1`,
    [heavy.organization_id]
  )
  return Number(row?.['n'])
}

test(
  'evaluates a decision of another organization before a backlog that was sent earlier',
  async () => {
    const isEvaluated = async (id: string): Promise<boolean> => {
      const { body } = await clients.light.get(`/v1/evaluation/${id}?wait=20`)
      return body['status'] === 'evaluated'
    }
    const first = await clients.light.accept(aDecisionBody({ agent_id }))
    await waitUntil('the first one is evaluated', () => isEvaluated(first), timeoutMs)
    evaluation.freeze()
    await send(decisions)
    const behind = await clients.light.accept(aDecisionBody({ agent_id }))
    evaluation.thaw()
    await waitUntil('the later one is evaluated', () => isEvaluated(behind), timeoutMs)

    await evaluation.kill()
    const deferred = await count('deferred_decisions')
    expect(deferred).toBeGreaterThan(0)
    const { body } = await clients.heavy.get('/v1/evaluation/health')
    expect(body).toMatchObject({ deferred, conservation: { difference: 0 } })
    evaluation = await sluice.start('evaluation')

    const runs = decisions * rules * (defaultRuleSet.rules[0]?.evaluators.length ?? 0)
    const isDone = async () => (await count('evaluation_runs')) >= runs
    await waitUntil('all are evaluated', isDone, timeoutMs)
    await waitUntil('none is deferred', async () => (await count('deferred_decisions')) === 0)
    expect(await count('decision_plans')).toBe(decisions)
    expect(await count('evaluation_runs')).toBe(runs)

    const order = (await readAll(sluice.topics.evaluations)).map(({ headers }) => headers)
    const place = order.findIndex(({ decision_id }) => decision_id === behind)
    const last = order.findLastIndex(
      ({ organization_id }) => organization_id === heavy.organization_id
    )
    expect(place).toBeGreaterThan(0)
    expect(place).toBeLessThan(last)
  },
  2 * timeoutMs
)
