/** Throws away what is left of a body, so that a caller who still sends can read the answer. */
import type { IncomingMessage } from 'node:http'

const drainMs = 5000
/** The start of a body is read at once, the rest slowly: refused bytes cost CPU time and memory. */
const fastBytes = 64 * 1024
const slowBytesPerMs = 4096

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
  let pause: NodeJS.Timeout | undefined
  const timer = setTimeout(() => resolve(false), drainMs)
  request.on('data', (chunk: Buffer) => {
    drained += chunk.length
    if (drained <= fastBytes) return
    request.pause()
    pause = setTimeout(() => request.resume(), chunk.length / slowBytesPerMs)
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
    clearTimeout(pause)
    socket.off('close', end)
  })
}
