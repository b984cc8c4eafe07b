/** The promise behind the topic: what was acknowledged is a row, once, and as it was sent. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { onEnd } from '../../support/cleanup.ts'
import { readFaultSettings } from '../settings.ts'
import { complaintsAfter } from './after-run.ts'
import { storageFaultNames, storageFaultTitles } from './fault-titles.ts'
import { storageFaults } from './faults.ts'
import { judgeApart } from './judge-apart.ts'
import { runStorageFault } from './run-storage-fault.ts'
import type { StorageResult } from './table.ts'

const settings = readFaultSettings()
const names = storageFaultNames.filter((name) => settings.only?.includes(name) ?? true)
const chosen = names.map((name) => ({ name, title: storageFaultTitles[name] }))
/** What is repeated takes seconds, since a group waits for a dead member before it goes on. */
const timeoutMs = 240_000 + settings.seconds * 5000 + settings.rounds * 3000

function folderFor(name: string): string {
  if (settings.keep !== null) return join(settings.keep, name)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-ledger-'))
  onEnd(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })))
  return folder
}

/** Keeps what was measured for the table of the long form. */
function keep(name: string, result: StorageResult): void {
  if (settings.folder === null) return
  mkdirSync(settings.folder, { recursive: true })
  writeFileSync(join(settings.folder, `${name}.json`), JSON.stringify(result))
}

test.each(chosen)(
  '$title: nothing acknowledged is missing, doubled or changed',
  async ({ name, title }) => {
    const fault = storageFaults[name]
    const folder = folderFor(name)
    const { installation, ...run } = await runStorageFault(fault, { settings, folder, title })
    const { verdict, broken } = await judgeApart(folder, installation)
    keep(name, { title, done: fault.done(settings), ...run, verdict })
    expect(broken).toEqual({})
    expect(run.complaints).toEqual([])
    expect(await complaintsAfter(installation)).toEqual([])
    // A fault that left no trace, or traffic without any of it, would prove nothing.
    expect(run.faults).toBeGreaterThan(0)
    expect(fault.doubts?.(verdict) ?? null).toBeNull()
    expect(verdict.repetitions).toBeGreaterThan(0)
    expect(verdict.conflicts).toBeGreaterThan(0)
  },
  timeoutMs
)
