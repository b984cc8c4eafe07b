/** The promise of evaluation: what was planned ends once, and no judge is asked without need. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { onEnd } from '../../support/cleanup.ts'
import { services } from '../../support/services.ts'
import { readFaultSettings } from '../settings.ts'
import { evaluationFaultNames, evaluationFaultTitles } from './fault-titles.ts'
import { evaluationFaults } from './faults.ts'
import { brokenEvaluationPromises, judgeEvaluation } from './judge.ts'
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

/** Keeps what was measured for the table of the long form. */
function keep(name: string, result: EvaluationResult): void {
  if (settings.folder === null) return
  mkdirSync(settings.folder, { recursive: true })
  writeFileSync(join(settings.folder, `${name}.json`), JSON.stringify(result))
}

test.each(chosen)(
  '$title: every planned run ends once, and every call is accounted for',
  async ({ name, title }) => {
    const fault = evaluationFaults[name]
    const folder = folderFor(name)
    const { installation, ...run } = await runEvaluationFault(fault, { settings, folder, title })
    const running = {
      brokers: services().addresses.kafkaBrokers,
      databaseUrl: installation.database.url
    }
    const verdict = judgeEvaluation(await gatherEvaluationEvidence(folder, running))
    keep(name, { title, done: fault.done(settings), ...run, verdict })
    expect(brokenEvaluationPromises(verdict)).toEqual({})
    expect(run.complaints).toEqual([])
    expect(verdict.extraCalls).toBeLessThanOrEqual(verdict.cutByKill + verdict.retriesOnRecord)
    // A fault that left no trace would prove nothing.
    expect(run.faults).toBeGreaterThan(0)
    expect(verdict.judgedRuns).toBe(verdict.sampled)
    expect(verdict.cutByKill).toBeGreaterThan(0)
    expect(verdict.retriesOnRecord).toBeGreaterThan(0)
    expect(verdict.deliveredAgain).toBeGreaterThan(0)
  },
  timeoutMs
)
