/** Detects requests that node:http accepts but that a proxy may have parsed differently. */
import type { IncomingMessage } from 'node:http'
import { Problem } from '../../core/problem.ts'

/**
 * Returns the problem of an ambiguous request, or null. Makes only a few comparisons, because it
 * runs for every request.
 */
export function ambiguityOf(request: IncomingMessage): Problem | null {
  const { httpVersion, headers, rawHeaders } = request
  if (httpVersion !== '1.1' && httpVersion !== '1.0')
    return wrong('The HTTP version is not supported. Use HTTP/1.1.')
  const transferEncoding = headers['transfer-encoding']
  if (transferEncoding !== undefined) {
    // Node decodes no transfer encoding except chunked, and HTTP/1.0 has no Transfer-Encoding.
    const isPlain = transferEncoding.toLowerCase() === 'chunked' && httpVersion === '1.1'
    if (!isPlain) return wrong('The Transfer-Encoding is not supported. Use chunked with HTTP/1.1.')
  }
  return repetitionOf(countSingles(rawHeaders), httpVersion)
}

type Seen = ReturnType<typeof countSingles>

function repetitionOf({ host, contentType, authorization }: Seen, version: string) {
  if (contentType > 1) return wrong('The request has more than one Content-Type header.')
  if (authorization > 1) return wrong('The request has more than one Authorization header.')
  const isNamed = host === 1 || (host === 0 && version === '1.0')
  return isNamed ? null : wrong('The request must have exactly one Host header.')
}

/**
 * Counts headers that must not be repeated: Node uses the first value, but other servers use the
 * last.
 */
function countSingles(rawHeaders: readonly string[]) {
  const seen = { host: 0, contentType: 0, authorization: 0 }
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    // Compares lengths first, because the length alone rules out most headers.
    if (name.length === 4 && name.toLowerCase() === 'host') seen.host += 1
    if (name.length === 12 && name.toLowerCase() === 'content-type') seen.contentType += 1
    if (name.length === 13 && name.toLowerCase() === 'authorization') seen.authorization += 1
  }
  return seen
}

function wrong(detail: string): Problem {
  return new Problem('malformed_request', { detail })
}
