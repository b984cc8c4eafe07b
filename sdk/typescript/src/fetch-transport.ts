/** HTTP transport over fetch, for runtimes without Node modules. */
import type { HttpResponse, Exchange } from './platform.ts'

const responseMaxBytes = 4 * 1024 * 1024

export async function exchangeOverFetch(exchange: Exchange): Promise<HttpResponse> {
  const { url, headers, body, timeoutMs, signal } = exchange
  const abort = new AbortController()
  const stop = (): void => abort.abort()
  signal.addEventListener('abort', stop)
  const timer = setTimeout(stop, timeoutMs)
  try {
    const request = { method: 'POST', headers, body, signal: abort.signal }
    const response = await fetch(url, { ...request, redirect: 'manual' })
    const { status, type } = response
    const retryAfter = response.headers.get('retry-after') ?? undefined
    // Browsers hide the status of a redirect, so assume 302.
    if (type === 'opaqueredirect') return { status: 302, retryAfter, body: '' }
    return { status, retryAfter, body: await read(response) }
  } catch (error) {
    const isLate = abort.signal.aborted && !signal.aborted
    throw isLate
      ? new Error(`no complete response within ${timeoutMs} ms`, { cause: error })
      : error
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

/** Returns the body, or undefined if it exceeds 4 MiB, in which case the rest is not read. */
async function read({ body }: Response): Promise<string | undefined> {
  if (body === null) return ''
  const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    bytes += value.length
    if (bytes > responseMaxBytes) {
      reader.cancel().catch(() => undefined)
      return undefined
    }
    text += decoder.decode(value, { stream: true })
  }
}
