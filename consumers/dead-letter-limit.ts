/** Dead-letter limit: pauses a partition when too many of its messages would be dead-lettered.
 *
 * A high failure rate usually has one cause outside the messages, for example a wrong schema
 * registry or a faulty deployment. Without the limit, the whole topic would end up in its
 * dead-letter topic.
 */
import type { DeadLetter, DeadLetterReason } from '../core/message-outcome.ts'
import { isReplay } from '../platform/kafka/dead-letter-origin.ts'
import type { Message } from '../platform/kafka/message-consumer.ts'
import { PartitionPause } from './partition-pause.ts'

/** The outcome of a message, or the result of decoding it. */
interface Outcome {
  readonly kind: string
}

export interface DeadLetterLimit {
  /**
   * Checks the limit. Call this before writing dead-letter records. `outcomes` may cover only the
   * first messages of the batch.
   * @throws {PartitionPause} if the limit is reached; messages before its offset can still be
   * settled
   */
  check(messages: readonly Message[], outcomes: readonly Outcome[]): void
  /** Adds settled messages to the window, which holds the last messages of their partition. */
  remember(messages: readonly Message[], outcomes: readonly Outcome[]): void
}

interface WindowEntry {
  /** Null if the message is not dead-lettered. */
  readonly reason: DeadLetterReason | null
  /** Null for a message that is already settled. */
  readonly offset: bigint | null
}

/** Size of the message window, as a multiple of the limit. */
const windowPerMax = 2
/**
 * Reason that does not count towards the limit. Any client can cause it, and it affects only that
 * client's organization.
 */
const neutralReason: DeadLetterReason = 'id_conflict'
const neutralKind = 'erased'
const message =
  'partition paused: dead-letter limit reached; it resumes once the cause is fixed; set ' +
  'DEAD_LETTERS_MAX=0 to dead-letter the messages instead'

/**
 * Creates a limit: a partition is paused when `deadLettersMax` of the last `2 * deadLettersMax`
 * messages would be dead-lettered. 0 disables the limit. The window of settled messages is kept in
 * memory.
 */
export function createDeadLetterLimit(deadLettersMax: number): DeadLetterLimit {
  const lengthMax = windowPerMax * deadLettersMax
  const settled = new Map<string, readonly WindowEntry[]>()

  return {
    check: (messages, outcomes) => {
      // Returns early in the usual case (no dead letters), because decoding calls this once per
      // slice.
      if (deadLettersMax === 0 || !outcomes.some(({ kind }) => kind === 'dead_letter')) return
      const earlier = settled.get(nameOf(messages)) ?? []
      const entries = [...earlier, ...entriesOf(messages, outcomes)]
      const end = limitReachedAt(entries, { deadLettersMax, lengthMax })
      if (end !== null) throw pauseBefore(entries.slice(Math.max(0, end - lengthMax), end))
    },
    remember: (messages, outcomes) => {
      if (deadLettersMax === 0) return
      const entries = entriesOf(messages, outcomes).map((each) => ({ ...each, offset: null }))
      const name = nameOf(messages)
      settled.set(name, [...(settled.get(name) ?? []), ...entries].slice(-lengthMax))
    }
  }
}

function nameOf([first]: readonly Message[]): string {
  return first === undefined ? '' : `${first.topic}/${first.partition}`
}

/** Returns one entry per message, except for ID conflicts, erased messages and replays. */
function entriesOf(messages: readonly Message[], outcomes: readonly Outcome[]): WindowEntry[] {
  return outcomes.flatMap((outcome, index) => {
    const reason = outcome.kind === 'dead_letter' ? (outcome as DeadLetter).reason : null
    const message = messages[index]
    // An organization can replay the same bad messages again and again.
    const isReplayed = message !== undefined && isReplay(message)
    if (isReplayed || reason === neutralReason || outcome.kind === neutralKind) return []
    return [{ reason, offset: message?.offset ?? null }]
  })
}

function isDeadLetter({ reason }: WindowEntry): boolean {
  return reason !== null
}

/** Returns the number of entries at which the limit is reached, or null if it is not reached. */
function limitReachedAt(
  entries: readonly WindowEntry[],
  { deadLettersMax, lengthMax }: { deadLettersMax: number; lengthMax: number }
): number | null {
  let deadLetters = 0
  for (const [index, entry] of entries.entries()) {
    const leaving = entries[index - lengthMax]
    if (leaving !== undefined && isDeadLetter(leaving)) deadLetters -= 1
    if (isDeadLetter(entry)) deadLetters += 1
    if (deadLetters >= deadLettersMax) return index + 1
  }
  return null
}

function pauseBefore(window: readonly WindowEntry[]): PartitionPause {
  const first = window.find((entry) => isDeadLetter(entry) && entry.offset !== null)
  const deadLetters = window.filter(isDeadLetter)
  const reasons = Object.entries(Object.groupBy(deadLetters, ({ reason }) => String(reason)))
  const counts = Object.fromEntries(reasons.map(([reason, group]) => [reason, group?.length]))
  return new PartitionPause(message, {
    offset: first?.offset ?? 0n,
    fields: { dead_letters: deadLetters.length, messages: window.length, reasons: counts }
  })
}
