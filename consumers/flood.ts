/** Knows a flood of dead letters: then it is not the messages that are wrong, but something else.
 *
 * A wrong registry or a bad deployment makes poison of everything. To condemn all of it would only
 * move the topic into its dead letters, so the partition stops before it.
 */
import type { DeadLetter, DeadLetterReason } from '../core/consumed.ts'
import type { Message } from '../platform/kafka/message-consumer.ts'
import { PartitionStop } from './partition-stop.ts'

/** What became of a message, or is about to. */
interface Outcome {
  readonly kind: string
}

export interface Flood {
  /**
   * Call it before anything is condemned, with what would become of the first messages.
   * @throws {PartitionStop} when that is a flood; what lies before it may be settled.
   */
  check(messages: readonly Message[], outcomes: readonly Outcome[]): void
  /** Call it when the messages are settled. */
  remember(messages: readonly Message[], outcomes: readonly Outcome[]): void
}

interface Verdict {
  /** The dead letter's, or null when all is well. */
  readonly reason: DeadLetterReason | null
  /** Offset of the message; null when it is settled already. */
  readonly offset: bigint | null
}

/** The messages looked at are so many times the dead letters that make a flood. */
const windowPerMax = 2
/** Whoever has a key can cause it, and only harms decisions of his own. */
const neutralReason: DeadLetterReason = 'id_conflict'
const neutralKind = 'erased'
const message =
  'a flood of dead letters stopped this partition before the first of them; it is looked at ' +
  'again and goes on by itself when the cause is mended; DEAD_LETTERS_FLOOD_MAX=0 lets them through'

/**
 * A flood is `deadLettersMax` dead letters among twice as many messages of a partition; with 0
 * there is none. What is remembered of a partition ends with the process.
 */
export function createFlood(deadLettersMax: number): Flood {
  const lengthMax = windowPerMax * deadLettersMax
  const settled = new Map<string, readonly Verdict[]>()

  return {
    check: (messages, outcomes) => {
      // Nearly always: a batch is looked at many times over while it is decoded.
      if (deadLettersMax === 0 || !outcomes.some(({ kind }) => kind === 'dead_letter')) return
      const verdicts = verdictsOf(messages, outcomes)
      const known = [...(settled.get(nameOf(messages)) ?? []), ...verdicts]
      const end = floodEnd(known, { deadLettersMax, lengthMax })
      if (end !== null) throw stopBefore(known.slice(Math.max(0, end - lengthMax), end))
    },
    remember: (messages, outcomes) => {
      if (deadLettersMax === 0) return
      const verdicts = verdictsOf(messages, outcomes).map((each) => ({ ...each, offset: null }))
      const name = nameOf(messages)
      settled.set(name, [...(settled.get(name) ?? []), ...verdicts].slice(-lengthMax))
    }
  }
}

function nameOf([first]: readonly Message[]): string {
  return first === undefined ? '' : `${first.topic}/${first.partition}`
}

/** Without those that say nothing about a flood. */
function verdictsOf(messages: readonly Message[], outcomes: readonly Outcome[]): Verdict[] {
  return outcomes.flatMap((outcome, index) => {
    const reason = outcome.kind === 'dead_letter' ? (outcome as DeadLetter).reason : null
    if (reason === neutralReason || outcome.kind === neutralKind) return []
    return [{ reason, offset: messages[index]?.offset ?? null }]
  })
}

function isDeadLetter({ reason }: Verdict): boolean {
  return reason !== null
}

/** How many verdicts it takes to make the flood, or null when all of them do not. */
function floodEnd(
  verdicts: readonly Verdict[],
  { deadLettersMax, lengthMax }: { deadLettersMax: number; lengthMax: number }
): number | null {
  let deadLetters = 0
  for (const [index, verdict] of verdicts.entries()) {
    const leaving = verdicts[index - lengthMax]
    if (leaving !== undefined && isDeadLetter(leaving)) deadLetters -= 1
    if (isDeadLetter(verdict)) deadLetters += 1
    if (deadLetters >= deadLettersMax) return index + 1
  }
  return null
}

function stopBefore(window: readonly Verdict[]): PartitionStop {
  const open = window.find((verdict) => isDeadLetter(verdict) && verdict.offset !== null)
  const deadLetters = window.filter(isDeadLetter)
  const reasons = Object.entries(Object.groupBy(deadLetters, ({ reason }) => String(reason)))
  const counts = Object.fromEntries(reasons.map(([reason, group]) => [reason, group?.length]))
  return new PartitionStop(message, {
    offset: open?.offset ?? 0n,
    fields: { dead_letters: deadLetters.length, messages: window.length, reasons: counts }
  })
}
