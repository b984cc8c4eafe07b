/** Checks that exactly the poison records and the id conflicts have dead-letter records. */
import { placeOf } from './evidence.ts'
import type { Evidence, StoredRow } from './evidence.ts'
import type { Identity } from './ledger-line.ts'

export interface DeadLetterReport {
  /** Number of poison records acknowledged by the broker. */
  readonly poison: number
  /** Number of records whose content differs from the row stored for their id. */
  readonly conflicts: number
  /** Number of distinct records that have been dead-lettered. */
  readonly deadLetterOrigins: number
  /**
   * Number of duplicate dead-letter records, which are written if a process dies before it commits
   * the offset.
   */
  readonly deadLetterCopies: number
  readonly reasons: Readonly<Record<string, number>>
  /** Poison records that are missing from the topic or differ from what was written. */
  readonly poisonMissing: readonly string[]
  /** Poison records and id conflicts without a dead-letter record. */
  readonly deadLettersMissing: readonly string[]
  /** Dead-letter records of records that are neither poison nor id conflicts. */
  readonly deadLettersUnexpected: readonly string[]
  /** Dead-letter records whose key, value or headers differ from the original. */
  readonly deadLettersChanged: readonly string[]
}

export function checkDeadLetters(
  { ledger, records, deadLetters }: Evidence,
  stored: ReadonlyMap<Identity, readonly StoredRow[]>
): DeadLetterReport {
  const poison = ledger.filter((line) => line.line === 'poison')
  const arrived = new Map(records.map((entry) => [entry.poisonId, entry.hash]))
  const poisoned = records.filter(({ poisonId }) => poisonId !== null).map(placeOf)
  const conflicts = records
    .filter(({ identity, fingerprint }) => {
      const [row] = stored.get(identity ?? '') ?? []
      return row !== undefined && row.fingerprint !== fingerprint
    })
    .map(placeOf)
  const due = new Set([...poisoned, ...conflicts])
  const originals = new Map(records.map((entry) => [placeOf(entry), entry.hash]))
  const places = new Set(deadLetters.map(({ place }) => place))
  return {
    poison: poison.length,
    conflicts: conflicts.length,
    deadLetterOrigins: places.size,
    deadLetterCopies: deadLetters.length - places.size,
    reasons: countsOf(deadLetters.map(({ reason }) => reason)),
    poisonMissing: poison
      .filter(({ poisonId, hash }) => arrived.get(poisonId) !== hash)
      .map(({ poisonId, kind }) => `${kind}: ${poisonId}`),
    deadLettersMissing: [...due].filter((place) => !places.has(place)),
    deadLettersUnexpected: deadLetters
      .filter(({ place }) => !due.has(place))
      .map(({ place, reason }) => `${place}: ${reason}`),
    deadLettersChanged: deadLetters
      .filter(({ place, hash }) => originals.has(place) && originals.get(place) !== hash)
      .map(({ place }) => place)
  }
}

function countsOf(words: readonly string[]): Record<string, number> {
  const groups = [...Map.groupBy(words, (word) => word)]
  return Object.fromEntries(groups.map(([word, same]) => [word, same.length]))
}
