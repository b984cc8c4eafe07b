/** Writes the ledger of a storage run as a file with one line per event. */
import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { AttemptLog } from '../ledger.ts'
import { pathOf } from './evidence.ts'
import { identityOf } from './ledger-line.ts'
import type { LedgerLine } from './ledger-line.ts'

export interface LedgerFile {
  readonly folder: string
  write(line: LedgerLine): void
  /** Returns an attempt log for the clients of one organization. */
  attemptsOf(organizationId: string): AttemptLog
  acknowledged(): number
  /** Descriptions of malformed responses and other violations. */
  readonly complaints: readonly string[]
  complain(sentence: string): void
}

const complaintsMax = 20

export function createLedgerFile(folder: string): LedgerFile {
  const path = pathOf(folder, 'ledger')
  mkdirSync(dirname(path), { recursive: true })
  const complaints: string[] = []
  let acknowledged = 0

  // Write synchronously, so that no line is lost if this process dies.
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
      // Only tests of gateway faults count responses.
      answered: () => {},
      complain
    })
  }
}
