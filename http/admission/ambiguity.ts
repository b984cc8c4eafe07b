/** Requests that node:http takes, but that a proxy before us may have read as another one. */
import type { IncomingMessage } from 'node:http'
import { Problem } from '../../core/problem.ts'

/** What is wrong, or null. Looked at for each request, so it is nothing but a few comparisons. */
export function ambiguityOf(request: IncomingMessage): Problem | null {
  const { httpVersion, headers, rawHeaders } = request
  if (httpVersion !== '1.1' && httpVersion !== '1.0') return wrong('Only HTTP/1.1 is spoken here.')
  const transferEncoding = headers['transfer-encoding']
  if (transferEncoding !== undefined) {
    // Node would hand over what is still packed, and in HTTP/1.0 there is no such thing.
    const isPlain = transferEncoding.toLowerCase() === 'chunked' && httpVersion === '1.1'
    if (!isPlain) return wrong('The only Transfer-Encoding that is taken is chunked.')
  }
  return repetitionOf(countSingles(rawHeaders), httpVersion)
}

type Seen = ReturnType<typeof countSingles>

function repetitionOf({ host, contentType, authorization }: Seen, version: string) {
  if (contentType > 1) return wrong('The request has more than one Content-Type header.')
  if (authorization > 1) return wrong('The request has more than one Authorization header.')
  const isNamed = host === 1 || (host === 0 && version === '1.0')
  return isNamed ? null : wrong('The request needs one Host header.')
}

/** Node keeps the first of several, where another keeps the last. */
function countSingles(rawHeaders: readonly string[]) {
  const seen = { host: 0, contentType: 0, authorization: 0 }
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    // Most names have another length, and are not looked at.
    if (name.length === 4 && name.toLowerCase() === 'host') seen.host += 1
    if (name.length === 12 && name.toLowerCase() === 'content-type') seen.contentType += 1
    if (name.length === 13 && name.toLowerCase() === 'authorization') seen.authorization += 1
  }
  return seen
}

function wrong(detail: string): Problem {
  return new Problem('malformed_request', { detail })
}
