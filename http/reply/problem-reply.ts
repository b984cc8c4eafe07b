/** Converts a problem to a response: RFC 9457 `application/problem+json`. */
import type { Problem } from '../../core/problem.ts'
import { problemBody } from '../../core/problem.ts'
import type { Reply } from '../call.ts'

export const problemContentType = 'application/problem+json'

export function problemReply(problem: Problem, requestId: string): Reply {
  return {
    status: problem.status,
    headers: { 'content-type': problemContentType, ...problem.options.headers },
    body: JSON.stringify(problemBody(problem, requestId))
  }
}
