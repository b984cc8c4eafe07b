/** What a failed request means, and what to do about it, without anything that was sent. */
import type { Answer } from './platform.ts'

export interface FailureText {
  readonly message: string
  readonly hint: string
}

const waits = 'decisions wait in memory and are sent again'

export function unreachable(error: unknown, baseUrl: string): FailureText {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown }
  const why = typeof code === 'string' ? code : typeof message === 'string' ? message : 'no answer'
  return {
    message: `no answer from ${baseUrl} (${why})`,
    hint: `is the gateway running, and is base_url right? ${waits}`
  }
}

export function answered(answer: Answer, baseUrl: string): FailureText {
  const { status } = answer
  return { message: `${baseUrl} answered ${status}${codeOf(answer)}`, hint: hintFor(status) }
}

const hints: Readonly<Record<number, string>> = {
  401: 'the gateway does not know the API key; check api_key',
  403: 'the API key may not send decisions; it needs the scope ingest',
  404: 'there is no gateway; check base_url',
  405: 'there is no gateway; check base_url',
  413: 'a decision is larger than the gateway takes',
  429: `more is logged than the organization may send; ${waits}`
}

function hintFor(status: number): string {
  const hint = hints[status]
  if (hint !== undefined) return hint
  if (status >= 500 || status < 300 || status === 408 || status === 425) return waits
  return status < 400 ? 'redirects are not followed; set base_url to where it leads' : 'given up'
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
