/** Idempotency-Key: a caller's own name for a request, made into the ids of its decisions.
 *
 * The header is that of draft-ietf-httpapi-idempotency-key-header: a quoted string. The same key of
 * the same organization gives the same ids again, so a request that is sent twice is stored once.
 */
import { uuidv5 } from '../../core/ids/ids.ts'
import { Problem } from '../../core/problem.ts'

/** The id of the item at `index` of a request; a request of one decision has no index. */
export type IdempotentId = (organizationId: string, index?: number) => string

/** A string of RFC 8941; many clients leave the quotes away, and nothing is lost by taking it. */
export const idempotencyKeyPattern =
  '^(?:"((?:[ !#-\\[\\]-~]|\\\\["\\\\]){1,255})"|([!#-\\[\\]-~]{1,255}))$'
const keyExpression = new RegExp(idempotencyKeyPattern)

/** Null without the header. @throws {Problem} 400 when it is no string of 1 to 255 characters. */
export function idempotentIdOf(header: string | string[] | undefined): IdempotentId | null {
  if (header === undefined) return null
  const match = typeof header === 'string' ? keyExpression.exec(header) : null
  if (match === null) throw malformed()
  const key = match[2] ?? match[1]?.replaceAll(/\\(["\\])/g, '$1') ?? ''
  return (organizationId, index) =>
    uuidv5(organizationId, `idempotency-key:${index === undefined ? '' : index}:${key}`)
}

function malformed(): Problem {
  const detail =
    'The Idempotency-Key must be a quoted string of 1 to 255 printable ASCII characters, ' +
    'or a bare one without spaces.'
  return new Problem('malformed_request', { detail })
}
