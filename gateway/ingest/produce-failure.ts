/** What a caller is told when the log did not take a record. */
import { Problem } from '../../core/problem.ts'
import { PartialSendError } from '../../platform/kafka/record-producer.ts'
import { overloaded } from '../../http/admission/overloaded.ts'

/** By the index of a record in its batch: why it failed, or null when it is acknowledged. */
export type FailureOf = (index: number) => Problem | null

/** How a batch that failed came out, record by record. */
export function failureOf(error: unknown): FailureOf {
  if (!(error instanceof PartialSendError)) return () => notAcknowledged(error)
  const { failures } = error
  return (index) => {
    const retryable = failures.get(index)
    if (retryable === undefined) return null
    return retryable ? notAcknowledged(error) : refused(error)
  }
}

/** Nobody knows yet what becomes of the batch. */
export const unanswered: FailureOf = () => notAcknowledged()

export function tooMuchInFlight(): Problem {
  return overloaded('Too many bytes wait for the log. Send the decision again in a moment.')
}

function notAcknowledged(cause?: unknown): Problem {
  return new Problem('log_unavailable', {
    detail:
      'The log did not acknowledge the decision in time. Send it again with the same decision_id.',
    headers: { 'retry-after': '2' },
    cause
  })
}

/** The broker's settings are an operator's to mend, so trying again may help, later. */
function refused(cause: unknown): Problem {
  return new Problem('log_unavailable', {
    detail: 'The log refused the decision. Send it again later with the same decision_id.',
    headers: { 'retry-after': '30' },
    cause
  })
}
