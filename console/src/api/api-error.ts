/** API errors: problem documents, and failures to receive one. */

interface ProblemDocument {
  readonly title: string
  readonly detail: string
  readonly code: string
  readonly status: number
  readonly retryable: boolean
  readonly request_id?: string
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[]
}

export class ApiError extends Error {
  readonly problem: ProblemDocument
  /** From Retry-After; null if the response has none. */
  readonly retryAfterSeconds: number | null

  constructor(problem: ProblemDocument, retryAfterSeconds: number | null = null) {
    super(problem.detail)
    this.problem = problem
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** Returns the number of seconds in Retry-After; 0 if the error has none. */
export function retryAfterOf(error: unknown): number {
  return error instanceof ApiError ? (error.retryAfterSeconds ?? 0) : 0
}

export function unreachable(): ApiError {
  return new ApiError({
    title: 'Sluice cannot be reached',
    detail: 'The request got no response. Check the connection and retry.',
    code: 'unreachable',
    status: 0,
    retryable: true
  })
}

/** Creates the error for a response. A proxy may respond with something other than a problem. */
export function apiErrorOf(status: number, text: string, retryAfter: number | null): ApiError {
  const problem = problemOf(text)
  if (problem !== null) return new ApiError(problem, retryAfter)
  const title = `The server responded with status ${status}`
  const detail = 'The response is not a problem document. A proxy may have sent it.'
  const retryable = status >= 500 || status === 429
  return new ApiError({ title, detail, code: `http_${status}`, status, retryable }, retryAfter)
}

function problemOf(text: string): ProblemDocument | null {
  try {
    const value = JSON.parse(text) as Partial<ProblemDocument> | null
    return typeof value?.code === 'string' ? (value as ProblemDocument) : null
  } catch {
    return null
  }
}
