/** The promise under faults: what was acknowledged is there, what was refused is not. */
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
/** A fault, what comes before and after it, and a machine that has other things to do. */
const timeoutMs = 120_000 + settings.seconds * 3000 + settings.rounds * 1000
/** Of so many attempts one at most may be turned away because the machine is busy. */
const busyShare = 10
/** Small enough that the load goes over it at once, in every window. */
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

/** Keeps what was measured for the table of the long form. */
function keep(name: string, result: FaultResult): void {
  results.push(result)
  if (settings.folder === null) return
  mkdirSync(settings.folder, { recursive: true })
  const text = JSON.stringify({ ...result, writtenIds: [] })
  writeFileSync(join(settings.folder, `${name}.json`), text)
}

test.each(chosen)(
  '$title: nothing acknowledged is missing, nothing refused is there',
  async (fault) => {
    const result = await runFault(fault, { installation: sluice, keys, settings })
    keep(fault.name, result)
    expect(result).toMatchObject({
      missing: [],
      changed: [],
      refusedButWritten: [],
      strangers: [],
      unexpected: [],
      complaints: [],
      serverErrors: 0
    })
    // A fault that nobody could notice would prove nothing.
    const seen = Object.keys({ ...result.refused, ...result.unknown })
    expect(seen).toEqual(expect.arrayContaining([...(fault.shows ?? [])]))
    if (fault.allows.length > 0) return
    // Where callers may notice nothing, they were served all the while.
    expect(result.acknowledgedMeanwhile).toBeGreaterThan(0)
    expect(result.refused['overloaded'] ?? 0).toBeLessThan(result.attempts / busyShare)
  },
  timeoutMs
)

test(
  'however often a decision lies on the topic, it is one row, and none is a dead letter',
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
