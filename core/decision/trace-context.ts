/** W3C trace context: reads the traceparent to propagate. */

/**
 * Matches version, trace id, parent id and flags. Rejects version ff and ids that are all zeros.
 * Later versions can append fields after a dash.
 */
const expression =
  /^((?!ff)[0-9a-f]{2})-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

const sampledFlag = 1

/**
 * Returns the traceparent to propagate, or null if the header is absent or invalid. Version 00 is
 * propagated unchanged. As the specification requires, a later version is propagated as version 00
 * with only the sampled flag.
 */
export function traceparentOf(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string') return null
  const found = expression.exec(header)
  if (found === null) return null
  const [, version, ids, flags = '', rest] = found
  if (version === '00') return rest === undefined ? header : null
  return `00-${ids}-0${Number.parseInt(flags, 16) & sampledFlag}`
}
