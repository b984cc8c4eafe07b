/** What a failed request means, and what to do about it, without anything that was sent. */
import type { Answer } from './platform.ts'

export interface FailureText {
  readonly message: string
  readonly hint: string
}

const waits = 'decisions wait in memory and are sent again'
const ask = '`npx @sluice/sdk doctor` finds out why'

export function unreachable(error: unknown, baseUrl: string): FailureText {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
  const why = typeof code === 'string' ? code : typeof message === 'string' ? message : 'no answer'
  const check = notSecure.includes(why)
    ? 'a gateway without TLS has http:// in SLUICE_BASE_URL;'
    : 'is the gateway running, and is SLUICE_BASE_URL right?'
  return { message: `no answer from ${baseUrl} (${why})`, hint: `${check} ${waits}; ${ask}` }
}

/** Of an answer that is no TLS. */
const notSecure = ['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER']

export function answered(answer: Answer, baseUrl: string): FailureText {
  const { status } = answer
  return { message: `${baseUrl} answered ${status}${codeOf(answer)}`, hint: hintFor(status) }
}

const noGateway = `there is no gateway at SLUICE_BASE_URL; ${ask}`
const hints: Readonly<Record<number, string>> = {
  401: `it does not know the API key: check SLUICE_API_KEY; ${ask}`,
  403: `the API key may not send decisions: it needs the scope ingest; ${ask}`,
  404: noGateway,
  405: noGateway,
  413: 'a decision is larger than the gateway takes',
  429: `more is logged than the organization may send; ${waits}`
}

function hintFor(status: number): string {
  const hint = hints[status]
  if (hint !== undefined) return hint
  if (status >= 500 || status < 300 || status === 408 || status === 425) return waits
  if (status < 400) return 'redirects are not followed: set SLUICE_BASE_URL to where it leads'
  return 'refused for good; docs/errors.md of Sluice says why'
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
