/** What a broker's answer, or the lack of one, makes of each record of a send. */
import { protocolErrors, protocolErrorsCodesById } from '@platformatic/kafka'
import { allErrorsIn } from '../kafka-errors.ts'
import type { NestedError } from '../kafka-errors.ts'
import type { Verdict } from './send-persistently.ts'

/** What the client's errors tell. */
interface ClientError extends NestedError {
  readonly code?: string
  readonly canRetry?: boolean
}

const noError = 0
const networkCode = 'PLT_KFK_NETWORK'
/** Message or list of records too large, invalid timestamp, invalid record. */
const divisibleCodes = new Set([10, 18, 32, 87])
const finalCodes = new Set(
  Object.values(protocolErrors).flatMap(({ code, canRetry }) => (canRetry ? [] : [code]))
)

/** By the broker's code for the partition; a partition without one may have been written. */
export function verdictOfCode(code: number | undefined): Verdict {
  if (code === undefined) return 'unknown'
  if (code === noError) return 'acknowledged'
  if (divisibleCodes.has(code)) return 'divisible'
  return finalCodes.has(code) ? 'refused' : 'unknown'
}

/** For what was not sent, or not answered. */
export function verdictOfError(error: unknown): Verdict {
  return allErrorsIn(error as ClientError).some(isFinal) ? 'refused' : 'unknown'
}

/** The client marks what is final, and time-outs as well, after which nobody knows anything. */
function isFinal({ canRetry, code }: ClientError): boolean {
  return canRetry === false && code !== networkCode
}

/** A broker's code in words. */
export function nameOfCode(code: number): string {
  return protocolErrorsCodesById[code] ?? `error ${code}`
}
