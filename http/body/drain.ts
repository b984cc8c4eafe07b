/** Throws away what is left of a body, so that a caller who still sends can read the answer. */
import type { IncomingMessage } from 'node:http'

const drainMs = 5000
/** The start of a body is read at once, the rest slowly: refused bytes cost CPU time and memory. */
const fastBytes = 64 * 1024
const slowBytesPerMs = 4096
/** Minimum bytes per pause: smaller chunks share one. */
const pausedBytesMin = 16 * 1024

/** Nothing is left of most bodies when their answer goes out; then there is nothing to wait for. */
export function isRead(request: IncomingMessage): boolean {
  return request.complete || request.destroyed
}

/**
 * Resolves with true when nothing is left, and with false when that takes too long.
 */
export function drain(request: IncomingMessage): Promise<boolean> {
  if (isRead(request)) return Promise.resolve(true)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  let drained = 0
  let pausedFor = 0
  let pause: NodeJS.Timeout | undefined
  const timer = setTimeout(() => resolve(false), drainMs)
  const take = ({ length }: Buffer): void => {
    drained += length
    const bytes = drained - fastBytes - pausedFor
    if (bytes < pausedBytesMin) return
    pausedFor += bytes
    request.pause()
    pause = setTimeout(() => request.resume(), bytes / slowBytesPerMs)
  }
  // Node discards an unread body at full speed after the response. `read(0)` marks the request as
  // read, which prevents that.
  request.read(0)
  request.on('data', take)
  const { socket } = request
  const end = (): void => resolve(true)
  request.on('end', end)
  request.on('error', end)
  // Once an answer was given only the socket tells that the caller hung up.
  socket.on('close', end)
  request.resume()
  return promise.finally(() => {
    clearTimeout(timer)
    clearTimeout(pause)
    request.off('data', take)
    socket.off('close', end)
  })
}
