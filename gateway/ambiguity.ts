/** Requests that node:http takes, but that a proxy before us may have read as another one. */
import type { IncomingMessage } from 'node:http'
import { Problem } from '../core/problem.ts'

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
  const hosts = countHosts(rawHeaders)
  const isNamed = hosts === 1 || (hosts === 0 && httpVersion === '1.0')
  return isNamed ? null : wrong('The request needs one Host header.')
}

/** Node keeps the first of several, where another keeps the last. */
function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string
    if (name.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  return hosts
}

function wrong(detail: string): Problem {
  return new Problem('malformed_request', { detail })
}
