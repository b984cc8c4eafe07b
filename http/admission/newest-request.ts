/** Which request of a connection came last: a caller may send more before it is answered. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/** Stands for a request that is answered: a connection may be idle for long after it. */
const answered = Symbol('answered')

const newest = new WeakMap<Socket, IncomingMessage | typeof answered>()

export function noteRequest(request: IncomingMessage): void {
  newest.set(request.socket, request)
}

/**
 * It has its answer. Kept until the next one comes, it would hold its body, for each connection
 * that is idle.
 */
export function forgetRequest(request: IncomingMessage): void {
  if (newest.get(request.socket) === request) newest.set(request.socket, answered)
}

/** Whether closing the connection behind its answer cuts off no other answer. */
export function isNewestRequest(request: IncomingMessage): boolean {
  return (newest.get(request.socket) ?? request) === request
}
