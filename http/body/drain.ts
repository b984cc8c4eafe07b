/** Discards the rest of a request body, so that a caller that is still sending can read the
 * response.
 */
import type { IncomingMessage } from 'node:http'

const drainMs = 5000
/**
 * Number of bytes that are discarded immediately. The rest is discarded slowly, because discarding
 * costs CPU time and memory.
 */
const fastBytes = 64 * 1024
const slowBytesPerMs = 4096
/** Minimum number of bytes to discard before each pause. Several small chunks share a pause. */
const pausedBytesMin = 16 * 1024

/**
 * Checks whether the whole body has been read. This is usually the case when the response is sent.
 */
export function isRead(request: IncomingMessage): boolean {
  return request.complete || request.destroyed
}

/**
 * Resolves with true when the body is drained or the caller has disconnected, or with false if that
 * takes too long.
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
  // After the response, Node discards an unread body at full speed. Calling `read(0)` prevents that
  // by marking the request as read.
  request.read(0)
  request.on('data', take)
  const { socket } = request
  const end = (): void => resolve(true)
  request.on('end', end)
  request.on('error', end)
  // After the response, only the socket reports that the caller has disconnected.
  socket.on('close', end)
  request.resume()
  return promise.finally(() => {
    clearTimeout(timer)
    clearTimeout(pause)
    request.off('data', take)
    socket.off('close', end)
  })
}
