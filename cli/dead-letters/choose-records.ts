/** Selects the dead-letter records that a command changes, grouped and sorted by original message.
 */
import { contentHashOf } from '../../platform/kafka/dead-letter-origin.ts'
import type { RecordPosition } from '../../store/dead-letter-marks.ts'
import { isWanted, readDeadLetters } from './read-dead-letters.ts'
import type { DeadLetterFilter, DeadLetterRecord, DeadLetterSource } from './read-dead-letters.ts'

/**
 * A dead-lettered message with its dead-letter records. Each consumer group writes a separate
 * record.
 */
export interface DeadLetteredMessage {
  readonly partition: number
  readonly offset: bigint
  readonly deadLetters: readonly RecordPosition[]
}

export interface ChosenRecords {
  /** Selected messages that have not been replayed yet, sorted by original partition and offset. */
  readonly origins: readonly DeadLetteredMessage[]
  /** Messages that have already been replayed through another of their dead-letter records. */
  readonly replayed: readonly DeadLetteredMessage[]
  /** Number of skipped records, by reason. */
  readonly leftOut: ReadonlyMap<string, number>
}

interface ChooseOptions {
  readonly filter: DeadLetterFilter
  /** Topic to write records back to. Records with another original topic are skipped. */
  readonly originTopic: string
  /** Dead-letter reasons to skip. A reason that the filter names is not skipped. */
  readonly excludedReasons: readonly string[]
}

/** Maximum number of records. Their positions are kept in memory, at about 250 bytes each. */
const recordsMax = 1_000_000
export const foreignRecord = 'not a dead-letter record of this topic'

interface Candidate {
  readonly partition: number
  readonly offset: bigint
  readonly deadLetters: RecordPosition[]
  isWanted: boolean
  isReplayed: boolean
}

export async function chooseRecords(
  source: DeadLetterSource,
  options: ChooseOptions
): Promise<ChosenRecords> {
  const candidates = new Map<string, Candidate>()
  const leftOut = new Map<string, number>()
  let count = 0
  // Applies only `since`, because other dead-letter records of a selected message may not match the
  // rest of the filter.
  const { since } = options.filter
  for await (const records of readDeadLetters(source, since === undefined ? {} : { since })) {
    for (const record of records) {
      const choice = classifyRecord(record, options)
      if (typeof choice === 'string') leftOut.set(choice, (leftOut.get(choice) ?? 0) + 1)
      else addCandidate(candidates, record, choice.isWanted)
    }
    count += records.length
    if (count > recordsMax) throw new Error(tooMany)
  }
  const wanted = [...candidates.values()].filter((each) => each.isWanted).toSorted(byOrigin)
  return {
    origins: wanted.filter(({ isReplayed }) => !isReplayed),
    replayed: wanted.filter(({ isReplayed }) => isReplayed),
    leftOut
  }
}

const tooMany = `the topic has over ${recordsMax} dead-letter records; pass --since`

/**
 * Returns the reason to skip a selected record, otherwise whether it is open and matches the
 * filter.
 */
function classifyRecord(
  record: DeadLetterRecord,
  options: ChooseOptions
): string | { isWanted: boolean } {
  const { filter, originTopic, excludedReasons } = options
  const { deadLetter, state } = record
  const isSelected = isWanted(record, filter) && state === 'open'
  if (deadLetter?.origin.topic !== originTopic)
    return isSelected ? foreignRecord : { isWanted: false }
  const isExcluded = excludedReasons.includes(deadLetter.reason) && filter.reason === undefined
  return isSelected && isExcluded ? deadLetter.reason : { isWanted: isSelected }
}

function addCandidate(
  candidates: Map<string, Candidate>,
  record: DeadLetterRecord,
  wanted: boolean
): void {
  if (record.deadLetter === null) return
  const { partition, offset } = record.deadLetter.origin
  const name = `${partition}/${offset}/${contentHashOf(record.message).toString('base64')}`
  const known = candidates.get(name)
  const { topic, partition: at, offset: deadLetterOffset, timestamp } = record.message
  const recordPosition = { topic, partition: at, offset: deadLetterOffset, timestamp }
  const isReplayed = record.state === 'replayed'
  if (known === undefined) {
    candidates.set(name, {
      partition,
      offset,
      deadLetters: [recordPosition],
      isWanted: wanted,
      isReplayed
    })
    return
  }
  known.deadLetters.push(recordPosition)
  known.isWanted ||= wanted
  known.isReplayed ||= isReplayed
}

function byOrigin(a: DeadLetteredMessage, b: DeadLetteredMessage): number {
  return a.partition - b.partition || (a.offset < b.offset ? -1 : 1)
}
