/** Requests that come before those ahead of them on their connection have their answers.
 *
 * Answers go out in order, so each waits until it is its turn: made ahead of time they would be
 * kept, however large they are, for a caller who may never read the first.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

export interface PipelineLimits {
  /** A connection on which so many wait is not read, until fewer do. */
  readonly readMax: number
  /** What was read at once may hold more; beyond it they are refused. */
  readonly connectionMax: number
  /** Over all connections. */
  readonly totalMax: number
}

export interface Pipeline {
  /** Whether `response` cannot be written yet. */
  isBehind(response: ServerResponse): boolean
  /** Calls `serve` when it can, unless the caller hangs up. @returns false when too many wait. */
  wait(request: IncomingMessage, response: ServerResponse, serve: () => void): boolean
  /** Waiting now. */
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

  /** node:http reads on behind each request, and so does whoever reads a body. */
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
      // node:http is not through with giving it the connection.
      const begin = (): void => {
        leave()
        process.nextTick(serve)
        if (lengthOf(socket) < readMax) socket.resume()
      }
      watch(socket)
      change(socket, 1)
      response.once('socket', begin)
      request.once('close', leave)
      // Once: what is paused again before it is resumed would be read all the same.
      if (lengthOf(socket) === readMax) socket.pause()
      return true
    },
    waiting: () => total
  }
}
