/** Shows what went wrong, the id of the request, and a button that retries. */
import { useEffect, useState } from 'react'
import { ApiError, retryAfterOf } from '../api/api-error.ts'
import { visible } from '../text/visible.ts'
import { CopyButton } from './copy-button.tsx'

interface ProblemBoxProps {
  readonly error: Error
  readonly onRetry?: (() => void) | undefined
}

export function ProblemBox({ error, onRetry }: ProblemBoxProps) {
  const problem = error instanceof ApiError ? error.problem : null
  return (
    <div className="problem" role="alert">
      <strong>{problem?.title ?? 'The console failed'}</strong>
      <p>{visible(error.message)}</p>
      {problem !== null && <ProblemDetails problem={problem} />}
      {onRetry !== undefined && <RetryButton error={error} onRetry={onRetry} />}
    </div>
  )
}

function ProblemDetails({ problem }: Pick<ApiError, 'problem'>) {
  const { errors = [], code, request_id } = problem
  return (
    <>
      {errors.length > 0 && (
        <ul>
          {errors.map(({ pointer, detail }) => (
            <li key={pointer}>
              <code>{visible(pointer)}</code> {visible(detail)}
            </li>
          ))}
        </ul>
      )}
      <p className="quiet">
        <code>{code}</code>
        {request_id !== undefined && (
          <>
            {' '}
            · request <code>{request_id}</code>{' '}
            <CopyButton text={request_id} label="Copy request id" />
          </>
        )}
      </p>
    </>
  )
}

/** Waits as long as the server asked for. */
function RetryButton({ error, onRetry }: Required<ProblemBoxProps>) {
  const seconds = retryAfterOf(error)
  const [left, setLeft] = useState(seconds)
  useEffect(() => {
    if (left <= 0) return
    const timer = setTimeout(() => setLeft(left - 1), 1000)
    return () => clearTimeout(timer)
  }, [left])
  return (
    <button type="button" disabled={left > 0} onClick={onRetry}>
      {left > 0 ? `Retry in ${left} s` : 'Retry'}
    </button>
  )
}
