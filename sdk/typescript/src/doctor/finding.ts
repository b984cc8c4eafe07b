/** What one check found. */

/** Never holds the key, or anything of a payload. */
export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'failed' | 'skipped'
  /** What was found. */
  readonly detail: string
  /** What to do next; null unless it failed. */
  readonly hint: string | null
}

/** It is as it should be. */
export function ok(check: string, detail: string): Finding {
  return { check, state: 'ok', detail: printable(detail), hint: null }
}

/** It is not, and `hint` is what to do. */
export function failed(check: string, detail: string, hint: string): Finding {
  return { check, state: 'failed', detail: printable(detail), hint }
}

/** It cannot be told, and that alone is no failure. */
export function skipped(check: string, detail: string): Finding {
  return { check, state: 'skipped', detail: printable(detail), hint: null }
}

/** What somebody answered may hold codes that a terminal obeys, and be as long as they like. */
function printable(text: string): string {
  return text.slice(0, detailMaxLength).replace(/\p{Cc}/gu, '\ufffd')
}

const detailMaxLength = 1000
