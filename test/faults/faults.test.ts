/** Tests gateways under faults: acknowledged decisions are on the topic, rejected ones are not. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import { createApiKey } from '../../core/ids/api-key.ts'
import { createInstallation } from '../support/installation.ts'
import type { Installation } from '../support/installation.ts'
import { endOffsets, waitUntilConsumed } from '../support/kafka.ts'
import { faultNames, faultTitles } from './fault-titles.ts'
import { faults } from './faults.ts'
import type { Keys } from './load.ts'
import { runFault } from './run-fault.ts'
import type { FaultResult } from './run-fault.ts'
import { readFaultSettings } from './settings.ts'

const settings = readFaultSettings()
const names = faultNames.filter((name) => settings.only?.includes(name) ?? true)
const chosen = names.map((name) => ({ name, title: faultTitles[name], ...faults[name] }))
/** Timeout of a test, generous enough for an overloaded machine. */
const timeoutMs = 120_000 + settings.seconds * 3000 + settings.rounds * 1000
/**
 * Fewer than one in `busyShare` attempts may be rejected as overloaded. An overloaded test machine
 * causes such rejections.
 */
const busyShare = 10
/** Rate limit that the load exceeds in every window. */
const smallLimit = 40

let sluice: Installation
let keys: Keys
const results: FaultResult[] = []

beforeAll(async () => {
  sluice = await createInstallation()
  const [good, limited] = await Promise.all([
    sluice.createTenant({ rateLimit: 100_000_000 }),
    sluice.createTenant({ rateLimit: smallLimit })
  ])
  const foreign = createApiKey('live').api_key
  keys = { good: good.api_key, limited: limited.api_key, foreign }
})

/** Saves the result for the tables that `npm run test:faults` prints. */
function keep(name: string, result: FaultResult): void {
  results.push(result)
  if (settings.folder === null) return
  mkdirSync(settings.folder, { recursive: true })
  const text = JSON.stringify({ ...result, writtenIds: [] })
  writeFileSync(join(settings.folder, `${name}.json`), text)
}

test.each(chosen)(
  '$title: writes every acknowledged and no rejected decision',
  async (fault) => {
    const result = await runFault(fault, { installation: sluice, keys, settings })
    keep(fault.name, result)
    expect(result).toMatchObject({
      missing: [],
      changed: [],
      rejectedButWritten: [],
      neverSent: [],
      unexpected: [],
      complaints: [],
      serverErrors: 0
    } satisfies Partial<FaultResult>)
    // Without the required errors, the run would prove nothing.
    const seen = Object.keys({ ...result.rejected, ...result.unknown })
    expect(seen).toEqual(expect.arrayContaining([...(fault.shows ?? [])]))
    if (fault.allows.length > 0) return
    // If no error is allowed, the gateway must also have accepted decisions during the fault.
    expect(result.acknowledgedMeanwhile).toBeGreaterThan(0)
    expect(result.rejected['overloaded'] ?? 0).toBeLessThan(result.attempts / busyShare)
  },
  timeoutMs
)

test(
  'stores each decision once, even if the topic contains it several times, and dead-letters none',
  async () => {
    const written = results.flatMap(({ writtenIds }) => writtenIds)
    expect(written.length).toBeGreaterThan(0)
    const storage = await sluice.start('storage')
    await waitUntilConsumed(sluice.groups.storage, sluice.topics.decisions, timeoutMs)
    const rows = await sluice.database.query<{ decision_id: string }>(
      'select decision_id from decisions'
    )
    expect(rows.length).toBe(written.length)
    expect(new Set(rows.map(({ decision_id }) => decision_id))).toEqual(new Set(written))
    const deadLetters = await endOffsets(sluice.topics.decisionsDeadLetter)
    expect([...deadLetters.values()].every((end) => end === 0n)).toBe(true)
    await storage.stop()
  },
  timeoutMs
)
