/** Tests evaluation under faults: every planned run ends exactly once, with no unnecessary judge
 * call.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { onEnd } from '../../support/cleanup.ts'
import { services } from '../../support/services.ts'
import { readFaultSettings } from '../settings.ts'
import { evaluationFaultNames, evaluationFaultTitles } from './fault-titles.ts'
import { evaluationFaults } from './faults.ts'
import { brokenEvaluationGuarantees, checkEvaluation } from './check-evaluation.ts'
import { gatherEvaluationEvidence } from './read-evaluation-evidence.ts'
import { runEvaluationFault } from './run-evaluation-fault.ts'
import type { EvaluationResult } from './table.ts'

const settings = readFaultSettings()
const names = evaluationFaultNames.filter((name) => settings.only?.includes(name) ?? true)
const chosen = names.map((name) => ({ name, title: evaluationFaultTitles[name] }))
const timeoutMs = 300_000 + settings.seconds * 15_000 + settings.rounds * 3000

function folderFor(name: string): string {
  if (settings.keep !== null) return join(settings.keep, name)
  const folder = mkdtempSync(join(tmpdir(), 'sluice-ledger-'))
  onEnd(() => Promise.resolve(rmSync(folder, { recursive: true, force: true })))
  return folder
}

/** Saves the result for the tables that `npm run test:faults` prints. */
function keep(name: string, result: EvaluationResult): void {
  if (settings.folder === null) return
  mkdirSync(settings.folder, { recursive: true })
  writeFileSync(join(settings.folder, `${name}.json`), JSON.stringify(result))
}

test.each(chosen)(
  '$title: ends every planned run once and accounts for every judge call',
  async ({ name, title }) => {
    const fault = evaluationFaults[name]
    const folder = folderFor(name)
    const { installation, ...run } = await runEvaluationFault(fault, { settings, folder, title })
    const running = {
      brokers: services().addresses.kafkaBrokers,
      databaseUrl: installation.database.url
    }
    const report = checkEvaluation(await gatherEvaluationEvidence(folder, running))
    keep(name, { title, done: fault.done(settings), ...run, report })
    expect(brokenEvaluationGuarantees(report)).toEqual({})
    expect(run.complaints).toEqual([])
    expect(report.extraCalls).toBeLessThanOrEqual(report.cutByKill + report.recordedRetries)
    // Check that the faults had an effect, because otherwise the run would prove nothing.
    expect(run.faults).toBeGreaterThan(0)
    expect(report.judgedRuns).toBe(report.sampled)
    expect(report.cutByKill).toBeGreaterThan(0)
    expect(report.recordedRetries).toBeGreaterThan(0)
    expect(report.redelivered).toBeGreaterThan(0)
  },
  timeoutMs
)
