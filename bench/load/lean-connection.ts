/** One kept connection that posts and reads answers with little more work than the kernel's.
 *
 * A full HTTP client would take the processor from the system that is to be overloaded. It only
 * knows answers with a content-length, which all of ours have.
 */
import { connect } from 'node:net'
import type { Socket } from 'node:net'

export interface LeanConnection {
  /** Not while it waits as long as a refusal's Retry-After says. */
  readonly isIdle: () => boolean
  /** Calls `done` with the status, or with 0 when the connection broke. */
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
    const answer = answerIn(received)
    if (answer === null) return
    readyAt = performance.now() + answer.retryAfterMs
    // Idle again only once it is open again: the server closes behind this answer.
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

export interface LeanAnswer {
  readonly status: number
  /** The connection closes behind it. */
  readonly isLast: boolean
  readonly retryAfterMs: number
}

/** Null while it is not whole. */
export function answerIn(text: string): LeanAnswer | null {
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
