/** Dead letters that are alike, counted: by topic, reason, step, group, origin and state. */
import type { LetterState } from './letter-marks.ts'
import type { LetterRecord } from './read-letters.ts'

interface LetterKind {
  readonly topic: string
  /** Null, as the others, for what is no dead letter of ours. */
  readonly reason: string | null
  readonly step: string | null
  readonly group: string | null
  readonly origin: string | null
  readonly state: LetterState
}

export interface LetterGroup extends LetterKind {
  letters: number
  firstAt: number
  lastAt: number
  /** The last one that was read. */
  example: { readonly partition: number; readonly offset: number }
}

/** Anyone may write any reason: beyond so many groups the rest is one. */
const groupsMax = 1000
const theRest = '(others)'

export function createLetterGroups() {
  const groups = new Map<string, LetterGroup>()

  function addOne(record: LetterRecord): void {
    const { partition, offset, timestamp } = record.message
    const kind = kindOf(record)
    const name = JSON.stringify(kind)
    const isTold = groups.has(name) || groups.size < groupsMax
    const group = groups.get(isTold ? name : theRest) ?? emptyGroup(isTold ? kind : restOf(kind))
    group.letters += 1
    group.firstAt = Math.min(group.firstAt, timestamp)
    group.lastAt = Math.max(group.lastAt, timestamp)
    group.example = { partition, offset: Number(offset) }
    groups.set(isTold ? name : theRest, group)
  }

  return {
    add: (records: readonly LetterRecord[]): void => records.forEach(addOne),
    /** The most letters first. */
    all: (): LetterGroup[] => [...groups.values()].toSorted((a, b) => b.letters - a.letters)
  }
}

function kindOf({ message, letter, state }: LetterRecord): LetterKind {
  const { reason = null, step = null, group = null } = letter ?? {}
  return { topic: message.topic, reason, step, group, origin: letter?.origin.topic ?? null, state }
}

function restOf({ topic, state }: LetterKind): LetterKind {
  return { topic, reason: theRest, step: null, group: null, origin: null, state }
}

function emptyGroup(kind: LetterKind): LetterGroup {
  const none = { firstAt: Infinity, lastAt: -Infinity, example: { partition: 0, offset: 0 } }
  return { ...kind, letters: 0, ...none }
}
