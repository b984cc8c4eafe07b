/** Parses the JSON of a response whose schema is known. */
import { ApiError } from './api-error.ts'

export function parseJson<T>(text: string): T {
  try {
    return JSON.parse(text) as T
  } catch {
    throw new ApiError({
      title: 'The response is incomplete',
      detail: 'The connection ended before the whole response arrived.',
      code: 'response_truncated',
      status: 0,
      retryable: true
    })
  }
}
