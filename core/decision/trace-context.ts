/** W3C trace context: which traceparent is handed on. */

/**
 * Version, trace, parent and flags. Ids of zeros only are invalid, and so is version ff. Of a later
 * version only this beginning is known; what follows it begins with a dash.
 */
const expression =
  /^((?!ff)[0-9a-f]{2})-((?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

const sampledFlag = 1

/**
 * The traceparent to hand on, or null when the header is none: what is invalid is left out, so that
 * the reader of the record begins a trace of its own. One of version 00 stays as it is. A later
 * version is handed on as version 00, with the flag that both know, as the specification asks.
 */
export function traceparentOf(header: string | string[] | undefined): string | null {
  if (typeof header !== 'string') return null
  const found = expression.exec(header)
  if (found === null) return null
  const [, version, ids, flags = '', rest] = found
  if (version === '00') return rest === undefined ? header : null
  return `00-${ids}-0${Number.parseInt(flags, 16) & sampledFlag}`
}
