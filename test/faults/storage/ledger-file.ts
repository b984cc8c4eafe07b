/** The ledger of a storage run: a file that grows line by line, and what was counted on the way. */
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { AttemptLog } from '../ledger.ts'
import { pathOf } from './evidence.ts'
import { identityOf } from './ledger-line.ts'
import type { LedgerLine } from './ledger-line.ts'

export interface LedgerFile {
  readonly folder: string
  write(line: LedgerLine): void
  /** For the clients of one organization. */
  attemptsOf(organizationId: string): AttemptLog
  /** How many attempts have been acknowledged so far. */
  acknowledged(): number
  /** Answers whose form was wrong, and what else was not as it has to be, in sentences. */
  readonly complaints: readonly string[]
  complain(sentence: string): void
}

const complaintsMax = 20

export function createLedgerFile(folder: string): LedgerFile {
  const path = pathOf(folder, 'ledger')
  mkdirSync(dirname(path), { recursive: true })
  const complaints: string[] = []
  let acknowledged = 0

  // At once: what was acknowledged is known even if this process ends in the next moment.
  const write = (line: LedgerLine): void => appendFileSync(path, `${JSON.stringify(line)}\n`)
  const complain = (sentence: string): void => {
    if (complaints.length < complaintsMax) complaints.push(sentence)
  }

  return {
    folder,
    write,
    complaints,
    complain,
    acknowledged: () => acknowledged,
    attemptsOf: (organizationId) => ({
      record: ({ decisionId, fingerprint, kind }, { kind: outcome, code }) => {
        const identity = identityOf(organizationId, decisionId)
        write({ line: 'attempt', identity, fingerprint, sent: kind, outcome, code })
        if (outcome === 'acknowledged') acknowledged += 1
      },
      // Counted by the run for the gateway.
      answered: () => {},
      complain
    })
  }
}
