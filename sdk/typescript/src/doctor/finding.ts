/** Finding: the result of one doctor check. */

/** Never contains the API key or any payload. */
export interface Finding {
  readonly check: string
  readonly state: 'ok' | 'failed' | 'skipped'
  readonly detail: string
  /** How to fix it; null unless the check failed. */
  readonly hint: string | null
}

export function ok(check: string, detail: string): Finding {
  return { check, state: 'ok', detail: printable(detail), hint: null }
}

export function failed(check: string, detail: string, hint: string): Finding {
  return { check, state: 'failed', detail: printable(detail), hint }
}

/** Returns the finding for a check that could not run; this does not count as a failure. */
export function skipped(check: string, detail: string): Finding {
  return { check, state: 'skipped', detail: printable(detail), hint: null }
}

/**
 * Truncates text from a server and replaces control characters, which a terminal would interpret.
 */
function printable(text: string): string {
  return text.slice(0, detailMaxLength).replace(/\p{Cc}/gu, '\ufffd')
}

const detailMaxLength = 1000
