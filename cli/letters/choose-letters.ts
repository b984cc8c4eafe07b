/** Which dead letters a command is about: one for each origin, in the order of the origins. */
import { hash } from 'node:crypto'
import type { Message } from '../../platform/kafka/message-consumer.ts'
import type { LetterPlace } from './letter-marks.ts'
import { isWanted, readLetters } from './read-letters.ts'
import type { LetterFilter, LetterRecord, LetterSource } from './read-letters.ts'

/** A message that was condemned, and all letters that say so: each group writes its own. */
export interface CondemnedOrigin {
  readonly partition: number
  readonly offset: bigint
  readonly letters: readonly LetterPlace[]
}

export interface ChosenLetters {
  /** Not dealt with yet, in the order of partition and offset of the origin. */
  readonly origins: readonly CondemnedOrigin[]
  /** Origins of which another letter was replayed already, and these were written all the same. */
  readonly replayed: readonly CondemnedOrigin[]
  /** Letters by the reason for which they were left out. */
  readonly leftOut: ReadonlyMap<string, number>
}

export interface ChooseOptions {
  readonly filter: LetterFilter
  /** The only topic that letters may go back to. */
  readonly originTopic: string
  /** Reasons that are left out unless the filter names them. */
  readonly spared: readonly string[]
}

/** Places are held in memory, some 250 bytes each. */
const lettersMax = 1_000_000
export const foreign = 'no dead letter of this topic'

interface Found {
  readonly partition: number
  readonly offset: bigint
  readonly letters: LetterPlace[]
  isWanted: boolean
  isReplayed: boolean
}

export async function chooseLetters(
  source: LetterSource,
  options: ChooseOptions
): Promise<ChosenLetters> {
  const found = new Map<string, Found>()
  const leftOut = new Map<string, number>()
  let letters = 0
  // The other letters of an origin may lie outside of what the filter names.
  const { since } = options.filter
  for await (const records of readLetters(source, since === undefined ? {} : { since })) {
    for (const record of records) {
      const verdict = judge(record, options)
      if (typeof verdict === 'string') leftOut.set(verdict, (leftOut.get(verdict) ?? 0) + 1)
      else note(found, record, verdict.isWanted)
    }
    letters += records.length
    if (letters > lettersMax) throw new Error(tooMany)
  }
  const wanted = [...found.values()].filter((each) => each.isWanted).toSorted(byOrigin)
  return {
    origins: wanted.filter(({ isReplayed }) => !isReplayed),
    replayed: wanted.filter(({ isReplayed }) => isReplayed),
    leftOut
  }
}

const tooMany = `there are over ${lettersMax} letters; bound them with --since`

/** Why a letter is left out, or whether it is one that was asked for. */
function judge(record: LetterRecord, options: ChooseOptions): string | { isWanted: boolean } {
  const { filter, originTopic, spared } = options
  const { letter, state } = record
  const isAsked = isWanted(record, filter) && state === 'open'
  if (letter?.origin.topic !== originTopic) return isAsked ? foreign : { isWanted: false }
  const isSpared = spared.includes(letter.reason) && filter.reason === undefined
  return isAsked && isSpared ? letter.reason : { isWanted: isAsked }
}

function note(found: Map<string, Found>, record: LetterRecord, wanted: boolean): void {
  if (record.letter === null) return
  const { partition, offset } = record.letter.origin
  const name = `${partition}/${offset}/${contentOf(record.message)}`
  const known = found.get(name)
  const { topic, partition: at, offset: letterOffset, timestamp } = record.message
  const place = { topic, partition: at, offset: letterOffset, timestamp }
  const isReplayed = record.state === 'replayed'
  if (known === undefined) {
    found.set(name, { partition, offset, letters: [place], isWanted: wanted, isReplayed })
    return
  }
  known.letters.push(place)
  known.isWanted ||= wanted
  known.isReplayed ||= isReplayed
}

/**
 * Two letters of one origin are one message only if they hold the same: a topic that is made anew
 * begins at 0 again, and anybody who may write letters may name any origin.
 */
function contentOf({ key, value }: Message): string {
  const parts = [key ?? Buffer.from('none'), Buffer.from([key === null ? 0 : 1]), value ?? '']
  return hash('sha256', Buffer.concat(parts.map((part) => Buffer.from(part))), 'base64')
}

function byOrigin(a: CondemnedOrigin, b: CondemnedOrigin): number {
  return a.partition - b.partition || (a.offset < b.offset ? -1 : 1)
}
