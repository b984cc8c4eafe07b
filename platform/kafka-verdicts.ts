/** What a failed send of the gateway's producer made of each record. */
import type { RoutedRecord } from './record-producer.ts'
import type { Verdict } from './send-persistently.ts'

/** What the client's errors tell: of single partitions, of causes, and of what went well. */
interface SendError {
  readonly errors?: readonly SendError[]
  readonly produced?: { readonly offsets?: readonly { readonly partition: number }[] }
  /** A broker's answer, when it gave one. */
  readonly response?: { readonly responses?: readonly TopicAnswer[] }
  readonly code?: string
  readonly apiCode?: number
  readonly canRetry?: boolean
}
interface TopicAnswer {
  readonly partitionResponses?: readonly { readonly index: number; readonly errorCode: number }[]
}

const noError = 0
const networkCode = 'PLT_KFK_NETWORK'
/** Message or list of records too large, invalid timestamp, invalid record. */
const divisibleCodes = new Set([10, 18, 32, 87])

/**
 * One verdict for each record, in their order. All records of a send have one topic.
 * A partition that no answer speaks of is unknown: it may have been written.
 */
export function verdictsOf(error: unknown, records: readonly RoutedRecord[]): Verdict[] {
  const all = flattened(error as SendError)
  const codes = codesOf(all)
  const final = all.filter(isFinal)
  const finalCodes = new Set(final.map(({ apiCode }) => apiCode))
  const otherwise: Verdict = codes.size === 0 && final.length > 0 ? 'refused' : 'unknown'
  return records.map(({ partition }) => {
    const code = codes.get(partition)
    if (code === undefined) return otherwise
    if (code === noError) return 'acknowledged'
    if (divisibleCodes.has(code)) return 'divisible'
    return finalCodes.has(code) ? 'refused' : 'unknown'
  })
}

/** The error and all that it is made of. */
function flattened(error: SendError): SendError[] {
  return [error, ...(error.errors ?? []).flatMap(flattened)]
}

/** The broker's code for each partition that an answer speaks of. */
function codesOf(errors: readonly SendError[]): Map<number, number> {
  const written = errors.flatMap(({ produced }) => produced?.offsets ?? [])
  const answers = errors
    .flatMap(({ response }) => response?.responses ?? [])
    .flatMap(({ partitionResponses }) => partitionResponses ?? [])
  return new Map([
    ...written.map(({ partition }): [number, number] => [partition, noError]),
    ...answers.map(({ index, errorCode }): [number, number] => [index, errorCode])
  ])
}

/** The client marks what is final, and time-outs as well, after which nobody knows anything. */
function isFinal({ canRetry, code }: SendError): boolean {
  return canRetry === false && code !== networkCode
}
