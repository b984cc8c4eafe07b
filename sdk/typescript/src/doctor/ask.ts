/** One request to the gateway, and its answer as it is: redirects are not followed. */
import { sdkVersion } from '../sdk-version.ts'

/** Where to ask, as whom, and how long an answer may take. */
export interface Gateway {
  readonly baseUrl: string
  readonly apiKey: string
  readonly timeoutMs: number
}

export interface DoctorAnswer {
  readonly status: number
  /** `{}` when it is no JSON object. */
  readonly body: Readonly<Record<string, unknown>>
  /** Of a refusal of a Sluice gateway, else ''. */
  readonly code: string
  /** Where it leads, when it is a redirect. */
  readonly location: string | null
  /** By how much the clock of here is ahead of the gateway's, in ms; null when it tells none. */
  readonly aheadMs: number | null
}

const bytesMax = 1024 * 1024

/** There was no answer; the message says why. */
export class Unreachable extends Error {}

/** GET, or POST when there is a body. @throws {Unreachable} */
export async function ask(gateway: Gateway, path: string, body?: object): Promise<DoctorAnswer> {
  const { baseUrl, apiKey, timeoutMs } = gateway
  const askedAt = Date.now()
  try {
    const response = await fetch(baseUrl.replace(/\/+$/, '') + path, {
      method: body === undefined ? 'GET' : 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        'content-type': 'application/json',
        'x-sluice-sdk': sdkVersion
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs)
    })
    const answeredAt = Date.now()
    const members = membersOf(await textOf(response))
    const code = members['code']
    return {
      status: response.status,
      body: members,
      code: typeof code === 'string' ? code : '',
      location: response.headers.get('location'),
      aheadMs: aheadOf(response.headers.get('date'), (askedAt + answeredAt) / 2)
    }
  } catch (error) {
    throw new Unreachable(reasonOf(error))
  }
}

/** What is longer than anything that a gateway says is no answer of one. */
async function textOf({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length
    if (bytes > bytesMax) return ''
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function membersOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

/** A Date header has no fraction of a second. */
function aheadOf(date: string | null, now: number): number | null {
  const dated = Date.parse(date ?? '')
  return Number.isNaN(dated) ? null : now - (dated + 500)
}

/** `fetch` hides why it failed in the cause of its error. */
export function reasonOf(error: unknown): string {
  const { cause, message } = error as { readonly cause?: unknown; readonly message?: unknown }
  const known = (cause ?? error) as Record<'reason' | 'code' | 'message', unknown>
  // That of OpenSSL is what its message says in many words and two lines.
  return String(known.reason || known.message || known.code || message)
}
