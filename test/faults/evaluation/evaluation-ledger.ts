/** Writes the ledger of an evaluation run as a file with one line per event. */
import { appendFileSync, mkdirSync } from 'node:fs'
import type { AttemptLog } from '../ledger.ts'
import { identityOf } from '../storage/ledger-line.ts'
import type { EvaluationLine } from './ledger-line.ts'
import { fileOf } from './evidence.ts'

export interface EvaluationLedger {
  readonly folder: string
  write(line: EvaluationLine): void
  /** Returns an attempt log for the clients of one organization. */
  attemptsOf(organizationId: string): AttemptLog
  acknowledged(): number
  readonly complaints: readonly string[]
  complain(sentence: string): void
}

const complaintsMax = 20

export function createEvaluationLedger(folder: string): EvaluationLedger {
  mkdirSync(folder, { recursive: true })
  const path = fileOf(folder, 'ledger')
  const complaints: string[] = []
  const acknowledged = new Set<string>()

  // Write synchronously, so that no line is lost if this process dies.
  const write = (line: EvaluationLine): void => appendFileSync(path, `${JSON.stringify(line)}\n`)
  const complain = (sentence: string): void => {
    if (complaints.length < complaintsMax) complaints.push(sentence)
  }

  return {
    ...{ folder, write, complaints, complain },
    acknowledged: () => acknowledged.size,
    attemptsOf: (organizationId) => ({
      record: ({ decisionId }, { kind: outcome, code }) => {
        const identity = identityOf(organizationId, decisionId)
        write({ line: 'attempt', identity, outcome, code })
        if (outcome === 'acknowledged') acknowledged.add(identity)
      },
      answered: () => {},
      complain
    })
  }
}
