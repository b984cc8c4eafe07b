/** Throws away what is left of a body, so that a caller who still sends can read the answer. */
import type { IncomingMessage } from 'node:http'

const drainBytesMax = 64 * 1024 * 1024
const drainMs = 5000

/** Nothing is left of most bodies when their answer goes out; then there is nothing to wait for. */
export function isRead(request: IncomingMessage): boolean {
  return request.complete || request.destroyed
}

/**
 * Resolves with true when nothing is left, and with false when it was too much or too slow.
 */
export function drain(request: IncomingMessage): Promise<boolean> {
  if (isRead(request)) return Promise.resolve(true)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  let drained = 0
  const timer = setTimeout(() => resolve(false), drainMs)
  request.on('data', (chunk: Buffer) => {
    drained += chunk.length
    if (drained > drainBytesMax) resolve(false)
  })
  const { socket } = request
  const end = (): void => resolve(true)
  request.on('end', end)
  request.on('error', end)
  // Once an answer was given only the socket tells that the caller hung up.
  socket.on('close', end)
  request.resume()
  return promise.finally(() => {
    clearTimeout(timer)
    socket.off('close', end)
  })
}
