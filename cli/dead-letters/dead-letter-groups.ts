/** Groups dead-letter records by topic, reason, step, consumer group, origin and state, and counts
 * them.
 */
import type { RecordState } from '../../store/dead-letter-marks.ts'
import type { DeadLetterRecord } from './read-dead-letters.ts'

interface DeadLetterKind {
  readonly topic: string
  /** `reason`, `step`, `group` and `origin` are null for a record that Sluice did not write. */
  readonly reason: string | null
  readonly step: string | null
  readonly group: string | null
  readonly origin: string | null
  readonly state: RecordState
}

export interface DeadLetterGroup extends DeadLetterKind {
  count: number
  firstAt: number
  lastAt: number
  /** Position of the last record in the group. */
  example: { readonly partition: number; readonly offset: number }
}

/**
 * Maximum number of groups. Records that would need a further group are counted in one common
 * group, because anyone who can write dead-letter records can use arbitrary reasons.
 */
const groupsMax = 1000
const otherReasons = '(others)'

export function createDeadLetterGroups() {
  const groups = new Map<string, DeadLetterGroup>()

  function addOne(record: DeadLetterRecord): void {
    const { partition, offset, timestamp } = record.message
    const kind = kindOf(record)
    const name = JSON.stringify(kind)
    const isListed = groups.has(name) || groups.size < groupsMax
    const group =
      groups.get(isListed ? name : otherReasons) ?? emptyGroup(isListed ? kind : otherKindOf(kind))
    group.count += 1
    group.firstAt = Math.min(group.firstAt, timestamp)
    group.lastAt = Math.max(group.lastAt, timestamp)
    group.example = { partition, offset: Number(offset) }
    groups.set(isListed ? name : otherReasons, group)
  }

  return {
    add: (records: readonly DeadLetterRecord[]): void => records.forEach(addOne),
    /** Returns the groups, largest first. */
    all: (): DeadLetterGroup[] => [...groups.values()].toSorted((a, b) => b.count - a.count)
  }
}

function kindOf({ message, deadLetter, state }: DeadLetterRecord): DeadLetterKind {
  const { reason = null, step = null, group = null } = deadLetter ?? {}
  return {
    topic: message.topic,
    reason,
    step,
    group,
    origin: deadLetter?.origin.topic ?? null,
    state
  }
}

function otherKindOf({ topic, state }: DeadLetterKind): DeadLetterKind {
  return { topic, reason: otherReasons, step: null, group: null, origin: null, state }
}

function emptyGroup(kind: DeadLetterKind): DeadLetterGroup {
  const none = { firstAt: Infinity, lastAt: -Infinity, example: { partition: 0, offset: 0 } }
  return { ...kind, count: 0, ...none }
}
