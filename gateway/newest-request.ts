/** Which request of a connection came last: a caller may send more before it is answered. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

const newest = new WeakMap<Socket, IncomingMessage>()

export function noteRequest(request: IncomingMessage): void {
  newest.set(request.socket, request)
}

/** Whether closing the connection behind its answer cuts off no other answer. */
export function isNewestRequest(request: IncomingMessage): boolean {
  return (newest.get(request.socket) ?? request) === request
}
