/** The few calls of the public API that the start makes, as any program outside would make them. */

const CALL_TIMEOUT_MS = 30_000

export type Answer = { status: number; body: Record<string, unknown> }

export type ApiClient = {
  login(email: string, password: string): Promise<Answer>
  ingest(apiKey: string, decision: unknown): Promise<Answer>
  read(accessToken: string, path: string): Promise<Answer>
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

export function createApiClient(baseUrl: string, signal?: AbortSignal): ApiClient {
  async function call(path: string, init: RequestInit): Promise<Answer> {
    const timeout = AbortSignal.timeout(CALL_TIMEOUT_MS)
    const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
    const answer = await fetch(`${baseUrl}${path}`, { ...init, signal: either })
    return { status: answer.status, body: objectOf(await answer.text()) }
  }

  async function post(path: string, body: unknown, token?: string): Promise<Answer> {
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (token !== undefined) headers['authorization'] = `Bearer ${token}`
    return await call(path, { method: 'POST', headers, body: JSON.stringify(body) })
  }

  return {
    login: async (email, password) => await post('/v1/auth/login', { email, password }),
    ingest: async (apiKey, decision) => await post('/v1/ingest', decision, apiKey),
    read: async (token, path) => await call(path, { headers: { authorization: `Bearer ${token}` } })
  }
}

/** "status 503: ..." from a problem document, for a sentence to people. */
export function describeAnswer({ status, body }: Answer): string {
  const detail = body['detail'] ?? body['title']
  return typeof detail === 'string' ? `status ${status}: ${detail}` : `status ${status}`
}
