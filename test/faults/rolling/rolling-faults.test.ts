/** The promise of a rolling restart: no request fails, and nothing is lost, doubled or made up. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { hasHaproxy } from '../../support/balancer/haproxy.ts'
import { readFaultSettings } from '../settings.ts'
import { rollingFaultNames, rollingFaultTitles } from './fault-titles.ts'
import type { RollingFaultName } from './fault-titles.ts'
import { rollingFaults } from './faults.ts'
import { roundsOf, runRollingFault } from './run-rolling-fault.ts'
import type { RollingResult } from './run-rolling-fault.ts'

const settings = readFaultSettings()
const hasIt = hasHaproxy()
const chosen = rollingFaultNames
  .filter((name) => settings.only?.includes(name) ?? rollingFaults[name].isLong !== true)
  .filter((name) => name !== 'rolling-haproxy' || hasIt)
  .map((name) => ({ name, title: rollingFaultTitles[name], ...rollingFaults[name] }))
const isMissing = settings.only?.includes('rolling-haproxy') === true && !hasIt
/** What comes before and after, and a minute for each round. */
const timeoutMs = 600_000 + roundsOf(settings) * 60_000

/** Keeps what was measured for the table of the long form. */
function keep(name: RollingFaultName, result: RollingResult): void {
  if (settings.folder === null) return
  mkdirSync(settings.folder, { recursive: true })
  writeFileSync(join(settings.folder, `${name}.json`), JSON.stringify(result))
}

const nothingAmiss = {
  ...{ forgotten: 0, missing: [], changed: [], refusedButWritten: [], strangers: [] },
  ...{ notStored: [], ghosts: [], storedTwice: 0, deadLetters: 0 },
  notShown: []
}
/** But for requests that a busy machine turned away, as it may at any time. */
const nothingNoticed = {
  ...{ unknown: {}, unexpected: [], complaints: [], serverErrors: 0 },
  ...{ listFailures: [], tailFailures: [] }
}
/** Of so many attempts one at most may be turned away because the machine is busy. */
const busyShare = 10

async function judge(fault: (typeof chosen)[number]): Promise<void> {
  const result = await runRollingFault(fault, settings)
  keep(fault.name, result)
  expect(result).toMatchObject(nothingAmiss)
  expect(result.exitCodes.every((code) => code === 0)).toBe(true)
  // A tail that was never cut, or had nothing to show, would prove nothing.
  expect(result.tails).toBeGreaterThan(roundsOf(settings))
  expect(result.shown).toBeGreaterThan(0)
  expect(result.lists).toBeGreaterThan(0)
  if (fault.kills === true) expect(result.failed).toBeGreaterThan(0)
  else expect(result).toMatchObject(nothingNoticed)
  expect(result.refused['overloaded'] ?? 0).toBeLessThan(result.attempts / busyShare)
}

// Not `each`: of a choice of HAProxy alone nothing is left where there is none.
for (const fault of chosen) {
  test(
    `${fault.title}: nothing acknowledged is lost, doubled or made up`,
    () => judge(fault),
    timeoutMs
  )
}

// Skipped and not left out, so that the count at the end says so, too.
if (isMissing) {
  process.stderr.write('No haproxy here: the rolling restart behind it is not run.\n')
  test.skip(rollingFaultTitles['rolling-haproxy'], () => {})
}
