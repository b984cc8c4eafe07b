/** HTTP client for JSON: supports a custom CA, and credentials in the URL, which `fetch` does not.
 */
import { request as requestPlain } from 'node:http'
import { Agent, request as requestEncrypted } from 'node:https'
import { text } from 'node:stream/consumers'

export interface HttpJson {
  /** The URL without credentials. */
  readonly baseUrl: string
  readonly credentials: { readonly username: string; readonly password: string } | null
  /** Agent that trusts the configured CA; undefined to use the default agent. */
  readonly agent: Agent | undefined
  /**
   * Sends a request. The response body is null if it is not JSON.
   * @throws if the connection fails or the response does not arrive within `timeoutMs`
   */
  send(method: string, path: string, body?: object): Promise<HttpResponse>
}

export interface HttpResponse {
  readonly status: number
  readonly body: unknown
}

interface HttpJsonOptions {
  readonly url: string
  /** CA certificates (PEM) that replace those of Node.js; null to keep the defaults. */
  readonly ca: string | null
  readonly timeoutMs: number
}

export function createHttpJson({ url, ca, timeoutMs }: HttpJsonOptions): HttpJson {
  const { username, password, protocol } = new URL(url)
  const isEncrypted = protocol === 'https:'
  const baseUrl = withoutCredentials(url)
  const credentials =
    username === ''
      ? null
      : { username: decodeURIComponent(username), password: decodeURIComponent(password) }
  const agent = isEncrypted && ca !== null ? new Agent({ ca, keepAlive: true }) : undefined
  const options = {
    ...(agent === undefined ? {} : { agent }),
    ...(credentials === null ? {} : { auth: `${credentials.username}:${credentials.password}` })
  }
  const request = isEncrypted ? requestEncrypted : requestPlain

  async function send(method: string, path: string, body?: object): Promise<HttpResponse> {
    const answer = Promise.withResolvers<HttpResponse>()
    const signal = AbortSignal.timeout(timeoutMs)
    const headers = body === undefined ? {} : { 'content-type': 'application/json' }
    const outgoing = request(`${baseUrl}${path}`, { ...options, method, headers, signal })
    outgoing.on('error', answer.reject)
    outgoing.on('response', (incoming) => {
      const status = incoming.statusCode ?? 0
      text(incoming).then((raw) => answer.resolve({ status, body: parse(raw) }), answer.reject)
    })
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
    return await answer.promise
  }

  return { baseUrl, credentials, agent, send }
}

function withoutCredentials(url: string): string {
  const stripped = new URL(url)
  stripped.username = ''
  stripped.password = ''
  return stripped.href.replace(/\/$/, '')
}

function parse(raw: string): unknown {
  try {
    return JSON.parse(raw)
  } catch {
    return null
  }
}
