/** What a failed request means, and what to do about it, without anything that was sent. */
import type { Answer } from './platform.ts'

export interface FailureText {
  readonly message: string
  readonly hint: string
}

const waits = 'decisions wait in memory and are sent again'
const doctor = '; `npx @sluice/sdk doctor` finds out why'

export function unreachable(error: unknown, baseUrl: string): FailureText {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
  const why = typeof code === 'string' ? code : typeof message === 'string' ? message : 'no answer'
  const security = baseUrl.startsWith('https') ? 'with' : 'without'
  return {
    message: `no answer from ${baseUrl} (${why})`,
    hint: `is it running, and ${security} TLS? ${waits}${doctor}`
  }
}

export function answered(answer: Answer, baseUrl: string): FailureText {
  const { status } = answer
  return { message: `${baseUrl} answered ${status}${codeOf(answer)}`, hint: hintFor(status) }
}

function hintFor(status: number): string {
  if (status === 401) return `check SLUICE_API_KEY${doctor}`
  if (status === 403) return `the API key needs the scope ingest${doctor}`
  if (status === 404 || status === 405) return `check SLUICE_BASE_URL${doctor}`
  if (status >= 500 || status < 300 || [408, 425, 429].includes(status)) return waits
  if (status < 400) return 'redirects are not followed: set SLUICE_BASE_URL to where it leads'
  return 'given up; see docs/errors.md of Sluice'
}

/** The code of a problem of ours (RFC 9457); nothing else of an answer is shown. */
function codeOf({ body }: Answer): string {
  try {
    const { code } = JSON.parse(body ?? '') as { readonly code?: unknown }
    return typeof code === 'string' && /^[a-z_]{1,40}$/u.test(code) ? ` ${code}` : ''
  } catch {
    return ''
  }
}
