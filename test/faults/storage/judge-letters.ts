/** Holds the dead letters against what had to become one: poison, and taken ids. */
import { placeOf } from './evidence.ts'
import type { Evidence, StoredRow } from './evidence.ts'
import type { Identity } from './ledger-line.ts'

export interface LetterVerdict {
  /** Records of poison that the broker had acknowledged. */
  readonly poison: number
  /** Records with another content than the row of their identity. */
  readonly conflicts: number
  /** Different originals among the dead letters. */
  readonly deadLetters: number
  /** The same original again: a crash between the letter and the offset repeats it. */
  readonly letterCopies: number
  readonly reasons: Readonly<Record<string, number>>
  /** Poison that the broker acknowledged and the topic does not have as it was sent. */
  readonly poisonMissing: readonly string[]
  /** Poison and taken ids without a dead letter. */
  readonly lettersMissing: readonly string[]
  /** Dead letters of what is neither. */
  readonly lettersUnfounded: readonly string[]
  /** Dead letters with another key, value or header than their original. */
  readonly lettersChanged: readonly string[]
}

export function judgeLetters(
  { ledger, records, letters }: Evidence,
  stored: ReadonlyMap<Identity, readonly StoredRow[]>
): LetterVerdict {
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
  const places = new Set(letters.map(({ place }) => place))
  return {
    poison: poison.length,
    conflicts: conflicts.length,
    deadLetters: places.size,
    letterCopies: letters.length - places.size,
    reasons: countsOf(letters.map(({ reason }) => reason)),
    poisonMissing: poison
      .filter(({ poisonId, hash }) => arrived.get(poisonId) !== hash)
      .map(({ poisonId, kind }) => `${kind}: ${poisonId}`),
    lettersMissing: [...due].filter((place) => !places.has(place)),
    lettersUnfounded: letters
      .filter(({ place }) => !due.has(place))
      .map(({ place, reason }) => `${place}: ${reason}`),
    lettersChanged: letters
      .filter(({ place, hash }) => originals.has(place) && originals.get(place) !== hash)
      .map(({ place }) => place)
  }
}

function countsOf(words: readonly string[]): Record<string, number> {
  const groups = [...Map.groupBy(words, (word) => word)]
  return Object.fromEntries(groups.map(([word, same]) => [word, same.length]))
}
