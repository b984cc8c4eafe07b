/** Tests storage under faults: each acknowledged decision becomes exactly one row with the same
 * content, or a dead-letter record if its id already has a row with different content.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { onEnd } from '../../support/cleanup.ts'
import { readFaultSettings } from '../settings.ts'
import { complaintsAfter } from './after-run.ts'
import { storageFaultNames, storageFaultTitles } from './fault-titles.ts'
import { storageFaults } from './faults.ts'
import { checkInProcess } from './check-in-process.ts'
import { runStorageFault } from './run-storage-fault.ts'
import type { StorageResult } from './table.ts'

const settings = readFaultSettings()
const names = storageFaultNames.filter((name) => settings.only?.includes(name) ?? true)
const chosen = names.map((name) => ({ name, title: storageFaultTitles[name] }))
/**
 * Timeout of a test. Each injection takes seconds, because the group waits until a dead member's
 * session times out.
 */
const timeoutMs = 240_000 + settings.seconds * 5000 + settings.rounds * 3000

function folderFor(name: string): string {
  if (settings.keep !== null) return join(settings.keep, name)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-ledger-'))
  onEnd(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })))
  return folder
}

/** Saves the result for the tables that `npm run test:faults` prints. */
function keep(name: string, result: StorageResult): void {
  if (settings.folder === null) return
  mkdirSync(settings.folder, { recursive: true })
  writeFileSync(join(settings.folder, `${name}.json`), JSON.stringify(result))
}

test.each(chosen)(
  '$title: loses, duplicates and changes no acknowledged decision',
  async ({ name, title }) => {
    const fault = storageFaults[name]
    const folder = folderFor(name)
    const { installation, ...run } = await runStorageFault(fault, { settings, folder, title })
    const { report, broken } = await checkInProcess(folder, installation)
    keep(name, { title, done: fault.done(settings), ...run, report })
    expect(broken).toEqual({})
    expect(run.complaints).toEqual([])
    expect(await complaintsAfter(installation)).toEqual([])
    // Check that the faults had an effect, because otherwise the run would prove nothing.
    expect(run.faults).toBeGreaterThan(0)
    expect(fault.missingEffect?.(report) ?? null).toBeNull()
    expect(report.repetitions).toBeGreaterThan(0)
    expect(report.conflicts).toBeGreaterThan(0)
  },
  timeoutMs
)
