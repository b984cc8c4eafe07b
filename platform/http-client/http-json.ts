/** One HTTP request with JSON both ways, to a server with authorities and a login of its own: what
 *  `fetch` takes neither of.
 */
import { request as requestPlain } from 'node:http'
import { Agent, request as requestEncrypted } from 'node:https'
import { text } from 'node:stream/consumers'

export interface HttpJson {
  /** Without user and password. */
  readonly baseUrl: string
  readonly credentials: { readonly username: string; readonly password: string } | null
  /** Knows whom to trust; undefined when Node's own will do. */
  readonly agent: Agent | undefined
  /** The body is null unless it is JSON. @throws when there is no answer in time. */
  send(method: string, path: string, body?: object): Promise<HttpAnswer>
}

export interface HttpAnswer {
  readonly status: number
  readonly body: unknown
}

export interface HttpJsonOptions {
  readonly url: string
  /** PEM of the authorities to trust, instead of those that Node knows. */
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

  async function send(method: string, path: string, body?: object): Promise<HttpAnswer> {
    const answer = Promise.withResolvers<HttpAnswer>()
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
