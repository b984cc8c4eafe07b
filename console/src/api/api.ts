/** Calls the API and turns its problems into errors. */
import { parseJson } from './parse-json.ts'
import { accessToken, refreshSession } from '../session/session.ts'
import { apiErrorOf, unreachable } from './api-error.ts'

export interface ApiRequest {
  readonly path: string
  /** Default: POST with a body, GET without one. */
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

/**
 * Sends a request with the access token of the session. If the token is rejected, refreshes it and
 * sends the request once more.
 * @returns a successful response whose body has not been read yet
 */
export async function openResponse(request: ApiRequest): Promise<Response> {
  let response = await send(request, await accessToken())
  if (response.status === 401) {
    await refreshSession()
    response = await send(request, await accessToken())
  }
  if (!response.ok) await textOf(response)
  return response
}

export async function readText(request: ApiRequest): Promise<string> {
  return await textOf(await openResponse(request))
}

/** @returns the parsed response; null for a response without a body */
export async function readJson<T>(request: ApiRequest): Promise<T> {
  const text = await readText(request)
  return parseJson<T>(text === '' ? 'null' : text)
}

async function send(request: ApiRequest, token: string): Promise<Response> {
  const { path, method, body, signal } = request
  const headers = new Headers(request.headers)
  headers.set('authorization', `Bearer ${token}`)
  if (body !== undefined) headers.set('content-type', 'application/json')
  try {
    return await fetch(path, {
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers,
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal !== undefined && { signal })
    })
  } catch (error) {
    throw signal?.aborted === true ? error : unreachable()
  }
}

async function textOf(response: Response): Promise<string> {
  let text: string
  try {
    text = await response.text()
  } catch (error) {
    throw error instanceof DOMException && error.name === 'AbortError' ? error : unreachable()
  }
  if (response.ok) return text
  const seconds = Number(response.headers.get('retry-after'))
  throw apiErrorOf(response.status, text, seconds > 0 ? seconds : null)
}
