/** Derives decision IDs from the Idempotency-Key header.
 *
 * The header is a quoted string, as in draft-ietf-httpapi-idempotency-key-header. The same key of
 * the same organization always yields the same IDs, so a request that is sent twice is stored once.
 */
import { uuidv5 } from '../../core/ids/ids.ts'
import { Problem } from '../../core/problem.ts'

/** Returns the ID of the item at `index` of a batch. A request with one decision has no index. */
type IdempotentId = (organizationId: string, index?: number) => string

/** Matches an RFC 8941 string. Also accepts a bare string, because many clients omit the quotes. */
export const idempotencyKeyPattern =
  '^(?:"((?:[ !#-\\[\\]-~]|\\\\["\\\\]){1,255})"|([!#-\\[\\]-~]{1,255}))$'
const keyExpression = new RegExp(idempotencyKeyPattern)

/**
 * Parses the Idempotency-Key header, or returns null if it is absent.
 * @throws {Problem} 400 unless it is a string of 1 to 255 characters
 */
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
    'The Idempotency-Key header is malformed. Send a quoted string of 1 to 255 printable ' +
    'ASCII characters, or an unquoted one without spaces.'
  return new Problem('malformed_request', { detail })
}
