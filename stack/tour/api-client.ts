/** Calls the public API like an external client. */

const CALL_TIMEOUT_MS = 30_000

export type ApiResponse = { status: number; body: Record<string, unknown> }

export type ApiClient = {
  login(email: string, password: string): Promise<ApiResponse>
  ingest(apiKey: string, decision: unknown): Promise<ApiResponse>
  read(accessToken: string, path: string): Promise<ApiResponse>
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
  async function call(path: string, init: RequestInit): Promise<ApiResponse> {
    const timeout = AbortSignal.timeout(CALL_TIMEOUT_MS)
    const either = signal === undefined ? timeout : AbortSignal.any([signal, timeout])
    const answer = await fetch(`${baseUrl}${path}`, { ...init, signal: either })
    return { status: answer.status, body: objectOf(await answer.text()) }
  }

  async function post(path: string, body: unknown, token?: string): Promise<ApiResponse> {
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

/** Formats a response for an error message, for example "status 503: ...". */
export function describeResponse({ status, body }: ApiResponse): string {
  const detail = body['detail'] ?? body['title']
  return typeof detail === 'string' ? `status ${status}: ${detail}` : `status ${status}`
}
