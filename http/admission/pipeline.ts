/** Delays pipelined requests until the earlier requests on their connection are answered.
 *
 * HTTP/1.1 sends responses in the order of the requests. If requests were handled early, their
 * responses would be held in memory for a caller that may never read the first one.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

interface PipelineLimits {
  /** Number of waiting requests at which the connection is no longer read. */
  readonly readMax: number
  /**
   * Maximum number of waiting requests per connection; further requests are rejected. It is greater
   * than `readMax`, because a single read can contain many requests.
   */
  readonly connectionMax: number
  /** Maximum number of waiting requests across all connections. */
  readonly totalMax: number
}

export interface Pipeline {
  /** Checks whether an earlier response on the connection must be written first. */
  isBehind(response: ServerResponse): boolean
  /**
   * Calls `serve` when the response can be written, unless the caller disconnects first.
   * @returns false if too many requests wait
   */
  wait(request: IncomingMessage, response: ServerResponse, serve: () => void): boolean
  /** Returns the number of waiting requests. */
  waiting(): number
}

const defaults: PipelineLimits = { readMax: 16, connectionMax: 128, totalMax: 4096 }

export function createPipeline(limits: PipelineLimits = defaults): Pipeline {
  const { readMax, connectionMax, totalMax } = limits
  const lengths = new WeakMap<Socket, number>()
  let total = 0

  const lengthOf = (socket: Socket): number => lengths.get(socket) ?? 0

  function change(socket: Socket, by: 1 | -1): void {
    total += by
    lengths.set(socket, lengthOf(socket) + by)
  }

  /**
   * Pauses the socket again whenever it is resumed, because node:http resumes it after each
   * request, and so does the reader of a body.
   */
  function watch(socket: Socket): void {
    if (lengths.has(socket)) return
    socket.on('resume', () => {
      if (lengthOf(socket) >= readMax) socket.pause()
    })
  }

  return {
    isBehind: (response) => response.socket === null,
    wait: (request, response, serve) => {
      const { socket } = request
      if (lengthOf(socket) >= connectionMax || total >= totalMax) return false
      const leave = (): void => {
        response.off('socket', begin)
        request.off('close', leave)
        change(socket, -1)
      }
      // `serve` runs on the next tick, because node:http is still assigning the socket.
      const begin = (): void => {
        leave()
        process.nextTick(serve)
        if (lengthOf(socket) < readMax) socket.resume()
      }
      watch(socket)
      change(socket, 1)
      response.once('socket', begin)
      request.once('close', leave)
      // Pauses the socket only once. If it were paused twice before it is resumed, node:http would
      // continue to read.
      if (lengthOf(socket) === readMax) socket.pause()
      return true
    },
    waiting: () => total
  }
}
