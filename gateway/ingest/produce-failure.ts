/** Maps producer failures to the problems that callers receive. */
import { Problem } from '../../core/problem.ts'
import { PartialSendError } from '../../platform/kafka/record-producer.ts'
import { overloaded } from '../../http/admission/overloaded.ts'

/** Returns the problem for the record at this index, or null if Kafka acknowledged the record. */
export type FailureOf = (index: number) => Problem | null

/** Converts the failure of a batch to results per record. */
export function failureOf(error: unknown): FailureOf {
  if (!(error instanceof PartialSendError)) return () => notAcknowledged(error)
  const { failures } = error
  return (index) => {
    const retryable = failures.get(index)
    if (retryable === undefined) return null
    return retryable ? notAcknowledged(error) : refused(error)
  }
}

/** Result of a batch that Kafka has neither acknowledged nor rejected by the deadline. */
export const unacknowledged: FailureOf = () => notAcknowledged()

export function tooMuchInFlight(): Problem {
  return overloaded('Too many bytes are waiting for Kafka. Retry shortly.')
}

function notAcknowledged(cause?: unknown): Problem {
  return new Problem('log_unavailable', {
    detail:
      'The write was not acknowledged in time and may or may not have succeeded. ' +
      'Retry with the same decision_id.',
    headers: { 'retry-after': '2' },
    cause
  })
}

/** Returns a retryable problem, because the operator can fix the broker's settings. */
function refused(cause: unknown): Problem {
  return new Problem('log_unavailable', {
    detail: 'Kafka rejected the write. Retry later with the same decision_id.',
    headers: { 'retry-after': '30' },
    cause
  })
}
