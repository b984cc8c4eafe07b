/** Minimal HTTP client that sends POST requests over a keep-alive connection.
 *
 * A full HTTP client would take CPU time from the system under test. This client requires a
 * content-length header, which the gateway's responses to ingest requests have.
 */
import { connect } from 'node:net'
import type { Socket } from 'node:net'

export interface LeanConnection {
  /**
   * Returns false while disconnected, during a request and until a Retry-After delay has passed.
   */
  readonly isIdle: () => boolean
  /** Sends a request and calls `done` with the status, or with 0 if the connection broke. */
  send(request: Buffer, done: (status: number) => void): void
  close(): void
}

const brokenStatus = 0
const reconnectPauseMs = 50
const headEnd = '\r\n\r\n'

export function createLeanConnection(host: string, port: number): LeanConnection {
  let socket: Socket | null = null
  let done: ((status: number) => void) | null = null
  let received = ''
  let isClosed = false
  let readyAt = 0

  function finish(status: number): void {
    const tell = done
    done = null
    received = ''
    tell?.(status)
  }

  function onData(chunk: Buffer): void {
    received += chunk.toString('latin1')
    const answer = parseResponse(received)
    if (answer === null) return
    readyAt = performance.now() + answer.retryAfterMs
    // The server closes the connection after this response; `open` reconnects.
    if (answer.isLast) socket?.destroy()
    finish(answer.status)
  }

  function open(): void {
    const opening = connect({ host, port, noDelay: true })
    opening.once('connect', () => (socket = opening))
    opening.on('data', onData)
    opening.on('error', () => {})
    opening.once('close', () => {
      socket = null
      if (done !== null) finish(brokenStatus)
      if (!isClosed) setTimeout(open, reconnectPauseMs)
    })
  }

  open()
  return {
    isIdle: () => {
      if (socket === null || socket.destroyed || done !== null) return false
      return readyAt === 0 || performance.now() >= readyAt
    },
    send: (request, tell) => {
      done = tell
      socket?.write(request)
    },
    close: () => {
      isClosed = true
      socket?.destroy()
    }
  }
}

interface LeanResponse {
  readonly status: number
  /** Whether the response has the header `connection: close`. */
  readonly isLast: boolean
  readonly retryAfterMs: number
}

/** Parses a response. Returns null if it is incomplete. */
export function parseResponse(text: string): LeanResponse | null {
  const end = text.indexOf(headEnd)
  if (end < 0) return null
  const head = text.slice(0, end)
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
  if (text.length < end + headEnd.length + length) return null
  return {
    status: Number(head.slice(9, 12)),
    isLast: /^connection: *close/im.test(head),
    retryAfterMs: 1000 * Number(/^retry-after: *(\d+)/im.exec(head)?.[1] ?? 0)
  }
}
