/** Describes a failed request and what to do about it, without any part of the payload. */
import type { HttpResponse } from './platform.ts'

export interface FailureText {
  readonly message: string
  readonly hint: string
}

export const retried = 'decisions stay in memory and are retried'
const doctor = '; run `npx @sluice/sdk doctor`'

export function describeNoResponse(error: unknown, baseUrl: string): FailureText {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
  const why = typeof code === 'string' ? code : typeof message === 'string' ? message : 'unknown'
  const security = baseUrl.startsWith('https') ? 'with' : 'without'
  return {
    message: `no response from ${baseUrl} (${why})`,
    hint: `check that a gateway runs there ${security} TLS; ${retried}${doctor}`
  }
}

export function describeResponse(response: HttpResponse, baseUrl: string): FailureText {
  const { status } = response
  const message = `${baseUrl} returned ${status}${codeOf(response)}`
  return { message, hint: hintFor(status) }
}

function hintFor(status: number): string {
  if (status === 401) return `check SLUICE_API_KEY${doctor}`
  if (status === 403) return `the API key requires the scope ingest${doctor}`
  if (status === 404 || status === 405) return `check SLUICE_BASE_URL${doctor}`
  if (status < 300) return `not a gateway response; ${retried}`
  if (status >= 500 || [408, 425, 429].includes(status)) return retried
  if (status < 400) return 'redirects are not followed; set SLUICE_BASE_URL to the target'
  return 'rejected; see docs/reference/errors.md in the Sluice repository'
}

/**
 * Returns the `code` of a problem response (RFC 9457). Other parts of a response may repeat
 * payloads and are not shown.
 */
function codeOf({ body }: HttpResponse): string {
  try {
    const { code } = JSON.parse(body ?? '') as { readonly code?: unknown }
    return typeof code === 'string' && /^[a-z_]{1,40}$/u.test(code) ? ` ${code}` : ''
  } catch {
    return ''
  }
}
