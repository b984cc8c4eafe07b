/** Tests rolling restarts: no decision is lost, duplicated or invented, and no request fails unless
 * gateways are killed.
 */
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
/** Timeout of a test: a minute per round, plus setup and checks. */
const timeoutMs = 600_000 + roundsOf(settings) * 60_000

/** Saves the result for the tables that `npm run test:faults` prints. */
function keep(name: RollingFaultName, result: RollingResult): void {
  if (settings.folder === null) return
  mkdirSync(settings.folder, { recursive: true })
  writeFileSync(join(settings.folder, `${name}.json`), JSON.stringify(result))
}

const nothingAmiss = {
  ...{ forgotten: 0, missing: [], changed: [], rejectedButWritten: [], neverSent: [] },
  ...{ notStored: [], rowsNeverSent: [], storedTwice: 0, deadLetters: 0 },
  notShown: []
}
/**
 * Expected result if callers do not notice the restart. `overloaded` rejections are checked
 * separately, because a busy test machine can cause them.
 */
const nothingNoticed = {
  ...{ unknown: {}, unexpected: [], complaints: [], serverErrors: 0 },
  ...{ listFailures: [], tailFailures: [] }
}
/**
 * Fewer than one in `busyShare` attempts may be rejected as overloaded. An overloaded test machine
 * causes such rejections.
 */
const busyShare = 10

async function verify(fault: (typeof chosen)[number]): Promise<void> {
  const result = await runRollingFault(fault, settings)
  keep(fault.name, result)
  expect(result).toMatchObject(nothingAmiss)
  expect(result.exitCodes.every((code) => code === 0)).toBe(true)
  // The tail must have reconnected and received decisions, because otherwise the run would prove
  // nothing.
  expect(result.tails).toBeGreaterThan(roundsOf(settings))
  expect(result.shown).toBeGreaterThan(0)
  expect(result.lists).toBeGreaterThan(0)
  if (fault.kills === true) expect(result.failed).toBeGreaterThan(0)
  else expect(result).toMatchObject(nothingNoticed)
  expect(result.rejected['overloaded'] ?? 0).toBeLessThan(result.attempts / busyShare)
}

// Do not use `test.each`, because it fails on an empty list. The list is empty if only the HAProxy
// fault is chosen and HAProxy is not installed.
for (const fault of chosen) {
  test(`${fault.title}: loses, duplicates and invents no decision`, () => verify(fault), timeoutMs)
}

// Skip the test explicitly, so that the summary counts it.
if (isMissing) {
  process.stderr.write('No haproxy here: the rolling restart behind it is not run.\n')
  test.skip(rollingFaultTitles['rolling-haproxy'], () => {})
}
