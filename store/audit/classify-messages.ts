/** Reads ranges of the decisions topic, and counts each message by its outcome. */
import { identityNameOf } from '../../core/decision/decision.ts'
import type { Decision } from '../../core/decision/decision.ts'
import type { Message } from '../../platform/kafka/message-consumer.ts'
import type { OffsetRange } from '../../platform/kafka/topic-fetcher.ts'
import type { TopicReader } from '../../platform/kafka/topic-reader.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import type { Decode } from '../../platform/registry/decode.ts'
import type { AuditBudget } from './audit-budget.ts'
import { classify } from './audit-result.ts'
import type { AuditResult } from './audit-result.ts'
import type { AuditTally } from './audit-tally.ts'
import type { ReasonOf } from './dead-lettered-offsets.ts'
import type { SeenIdentities } from './seen-identities.ts'
import { selectStoredStates } from './stored-states.ts'

export interface ClassifyOptions {
  readonly reader: TopicReader
  readonly postgres: Queryable
  readonly decode: Decode<Decision>
  readonly signal: AbortSignal
  readonly topic: string
  readonly committed: readonly bigint[]
  readonly tally: AuditTally
  readonly seen: SeenIdentities
  readonly reasonOf: ReasonOf
  readonly keptFrom: Date | null
  /** Null for no limit. */
  readonly budget: AuditBudget | null
  readonly onRead: (messages: number) => void
}

interface DecodedMessage {
  readonly message: Message
  /** Null if the message cannot be decoded. */
  readonly decision: Decision | null
}

const chunkMessages = 1000

/**
 * Ends early without an error if `signal` is aborted.
 * @returns false if the budget was exceeded, so that not all messages were counted
 */
export async function classifyMessages(
  ranges: readonly OffsetRange[],
  options: ClassifyOptions
): Promise<boolean> {
  const { reader, topic, signal, tally, budget, onRead } = options
  for await (const fetched of reader.read(topic, ranges, signal)) {
    if (budget?.take(fetched) === false) return false
    tally.addGaps(fetched.gaps)
    const { messages } = fetched
    for (let at = 0; at < messages.length; at += chunkMessages) {
      await classifyChunk(messages.slice(at, at + chunkMessages), options)
    }
    onRead(messages.length)
  }
  return true
}

async function classifyChunk(
  messages: readonly Message[],
  options: ClassifyOptions
): Promise<void> {
  const decoded = await Promise.all(
    messages.map(async (message): Promise<DecodedMessage> => {
      const found = await options.decode(message)
      return { message, decision: found.kind === 'decoded' ? found.value : null }
    })
  )
  const open: { message: Message; decision: Decision }[] = []
  for (const { message, decision } of decoded) {
    const result = resultWithoutTables(message, decision, options)
    if (result !== null) options.tally.add(message, result, decision ?? undefined)
    else if (decision !== null) open.push({ message, decision })
  }
  await lookUp(open, options)
}

/** Returns null if the result depends on the state of the decision in Postgres. */
function resultWithoutTables(
  { partition, offset }: Message,
  decision: Decision | null,
  { committed, reasonOf }: ClassifyOptions
): AuditResult | null {
  if (offset >= (committed[partition] ?? -1n)) return { outcome: 'in_flight' }
  const reason = reasonOf(partition, offset)
  if (reason !== undefined) {
    return { outcome: reason === 'id_conflict' ? 'conflict' : 'dead_lettered' }
  }
  return decision === null ? { outcome: 'missing', why: 'undecodable_not_reported' } : null
}

async function lookUp(
  open: readonly { readonly message: Message; readonly decision: Decision }[],
  { postgres, tally, seen, keptFrom }: ClassifyOptions
): Promise<void> {
  const states = await selectStoredStates(
    postgres,
    open.map(({ decision }) => decision)
  )
  for (const [index, { message, decision }] of open.entries()) {
    const state = states[index]
    if (state === undefined) throw new Error('the query returned fewer rows than decisions')
    const isFirst = (): boolean => seen.isNew(identityNameOf(decision))
    tally.add(message, classify(decision, { state, keptFrom, isFirst }), decision)
  }
}
