/** Tests, with generated bodies, that every accepted decision is stored and none is dead-lettered.
 */
import { randomUUID } from 'node:crypto'
import { beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { createExchange } from '../support/exactness/exchange.ts'
import type { Exchange } from '../support/exactness/exchange.ts'
import { ingestBody } from '../support/exactness/ingest-bodies.ts'
import { createInstallation } from '../support/installation.ts'
import type { Installation } from '../support/installation.ts'
import { endOffsets, waitUntilConsumed } from '../support/kafka.ts'

/** Fixed seed, so that every run generates the same bodies. */
const seed = 20_261_121
const bodies = 600

let sluice: Installation
let exchange: Exchange

beforeAll(async () => {
  sluice = await createInstallation()
  const tenant = await sluice.createTenant({ rateLimit: 1_000_000 })
  const [gateway] = await Promise.all([
    sluice.start('gateway'),
    sluice.start('storage'),
    sluice.start('evaluation')
  ])
  exchange = createExchange({ sluice, tenant, gateway })
})

async function recordsIn(topic: string): Promise<number> {
  return [...(await endOffsets(topic)).values()].reduce((sum, end) => sum + Number(end), 0)
}

async function count(what: string, table: string): Promise<unknown> {
  const [row] = await sluice.database.query(`select count(${what})::integer as n from ${table}`)
  return row?.['n']
}

/**
 * Creates a body in which `agent_id`, `session_id`, `domain` and `sdk_version` have the maximum
 * length. These texts do not compress, so the body also tests the size limits of indexes and keys.
 */
function largestBody(): string {
  const characters = (length: number): string =>
    Array.from({ length }, (_, index) =>
      String.fromCodePoint(0x10000 + ((index * 7919) % 0xfffff))
    ).join('')
  return JSON.stringify({
    decision_id: randomUUID(),
    input: null,
    output: '\u0000'.repeat(1_000_000),
    agent_id: characters(255),
    session_id: characters(1000),
    domain: characters(100),
    sdk_version: characters(100),
    input_tokens: Number.MAX_SAFE_INTEGER
  })
}

test(`stores and evaluates every accepted one of ${bodies} bodies (seed ${seed})`, async () => {
  const texts = [...fc.sample(ingestBody, { seed, numRuns: bodies }), largestBody()]
  const outcomes = await exchange.exchange(texts)
  expect(outcomes.filter(({ status }) => ![202, 400, 422].includes(status))).toEqual([])
  expect(outcomes.at(-1)?.status).toBe(202)

  const taken = exchange.taken()
  process.stdout.write(`${taken} of ${texts.length} bodies were accepted\n`)
  expect(taken).toBeGreaterThan(bodies / 3)
  const { decisions, evaluations, decisionsDeadLetter, evaluationsDeadLetter } = sluice.topics
  await waitUntilConsumed(sluice.groups.evaluation, decisions)
  await waitUntilConsumed(sluice.groups.storageOfEvaluations, evaluations)
  expect(await recordsIn(decisions)).toBe(taken)
  expect(await count('*', 'decisions')).toBe(taken)
  expect(await count('distinct decision_id', 'evaluation_runs')).toBe(taken)
  expect(await recordsIn(decisionsDeadLetter)).toBe(0)
  expect(await recordsIn(evaluationsDeadLetter)).toBe(0)
})
