/** Shows what went wrong, the id of the request, and a button that retries. */
import { useEffect, useState } from 'react'
import { ApiError } from '../lib/api-error.ts'
import { CopyButton } from './copy-button.tsx'

interface ProblemBoxProps {
  readonly error: Error
  readonly onRetry?: (() => void) | undefined
}

export function ProblemBox({ error, onRetry }: ProblemBoxProps) {
  const problem = error instanceof ApiError ? error.problem : null
  const errors = problem?.errors ?? []
  return (
    <div className="problem" role="alert">
      <strong>{problem?.title ?? 'The console failed'}</strong>
      <p>{error.message}</p>
      {errors.length > 0 && (
        <ul>
          {errors.map(({ pointer, detail }) => (
            <li key={pointer}>
              <code>{pointer}</code> {detail}
            </li>
          ))}
        </ul>
      )}
      <p className="quiet">
        <code>{problem?.code ?? error.name}</code>
        {problem?.request_id !== undefined && (
          <>
            {' '}
            · request <code>{problem.request_id}</code>
            <CopyButton text={problem.request_id} label="Copy request id" />
          </>
        )}
      </p>
      {onRetry !== undefined && <RetryButton error={error} onRetry={onRetry} />}
    </div>
  )
}

/** Waits as long as the server asked for. */
function RetryButton({ error, onRetry }: Required<ProblemBoxProps>) {
  const seconds = error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0
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
