/** Sends one request to the gateway, without following redirects, and returns the response. */
import { sdkVersion } from '../sdk-version.ts'

export interface Gateway {
  readonly baseUrl: string
  readonly apiKey: string
  readonly timeoutMs: number
}

export interface DoctorResponse {
  readonly status: number
  /** The parsed body; `{}` if it is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>
  /** The `code` of a Sluice problem response, otherwise ''. */
  readonly code: string
  readonly location: string | null
  /**
   * How far the local clock is ahead of the gateway's, in milliseconds; null without a Date header.
   */
  readonly aheadMs: number | null
}

const bytesMax = 1024 * 1024

/** Thrown if no complete response is received. The message is the reason. */
export class Unreachable extends Error {}

/**
 * Sends a GET request, or a POST request if `body` is set.
 * @throws {Unreachable} if no complete response arrives, for example because of a timeout
 */
export async function sendRequest(
  gateway: Gateway,
  path: string,
  body?: object
): Promise<DoctorResponse> {
  const { baseUrl, apiKey, timeoutMs } = gateway
  const sentAt = Date.now()
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
    const receivedAt = Date.now()
    const members = membersOf(await textOf(response))
    const code = members['code']
    return {
      status: response.status,
      body: members,
      code: typeof code === 'string' ? code : '',
      location: response.headers.get('location'),
      aheadMs: aheadOf(response.headers.get('date'), (sentAt + receivedAt) / 2)
    }
  } catch (error) {
    throw new Unreachable(reasonOf(error))
  }
}

/** Returns the body, or '' if it exceeds 1 MiB. No response to these requests is that long. */
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

/** Adds half a second, because a Date header is truncated to whole seconds. */
function aheadOf(date: string | null, now: number): number | null {
  const dated = Date.parse(date ?? '')
  return Number.isNaN(dated) ? null : now - (dated + 500)
}

/** Returns the reason for a failure. `fetch` puts it into the `cause` of its error. */
export function reasonOf(error: unknown): string {
  const { cause, message } = error as { readonly cause?: unknown; readonly message?: unknown }
  const known = (cause ?? error) as Record<'reason' | 'code' | 'message', unknown>
  // OpenSSL errors have a two-line message; `reason` is its short form.
  return String(known.reason || known.message || known.code || message)
}
