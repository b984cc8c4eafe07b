/** Produce results: classifies broker error codes and client errors. */
import { protocolErrors, protocolErrorsCodesById } from '@platformatic/kafka'
import { allErrorsIn } from '../kafka-errors.ts'
import type { NestedError } from '../kafka-errors.ts'
import type { ProduceResult } from './send-with-retries.ts'

interface ClientError extends NestedError {
  readonly code?: string
  readonly canRetry?: boolean
}

const noError = 0
const networkCode = 'PLT_KFK_NETWORK'
/**
 * Errors that a single record can cause: message or record list too large, invalid timestamp,
 * invalid record.
 */
const divisibleCodes = new Set([10, 18, 32, 87])
const finalCodes = new Set(
  Object.values(protocolErrors).flatMap(({ code, canRetry }) => (canRetry ? [] : [code]))
)

/**
 * Classifies a broker's error code for a partition. Without a code, the records may have been
 * written.
 */
export function resultOfCode(code: number | undefined): ProduceResult {
  if (code === undefined) return 'unknown'
  if (code === noError) return 'acknowledged'
  if (divisibleCodes.has(code)) return 'divisible'
  return finalCodes.has(code) ? 'refused' : 'unknown'
}

/** Classifies the error for records that were not sent or got no response. */
export function resultOfError(error: unknown): ProduceResult {
  return allErrorsIn(error as ClientError).some(isFinal) ? 'refused' : 'unknown'
}

/**
 * Checks whether an error is final. A timeout is not final, although the client can mark it as
 * such, because the records may have been written.
 */
function isFinal({ canRetry, code }: ClientError): boolean {
  return canRetry === false && code !== networkCode
}

export function nameOfCode(code: number): string {
  return protocolErrorsCodesById[code] ?? `error ${code}`
}
