/** Tracks the newest request of each connection, because a caller may pipeline several. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Takes the place of an answered request, so that an idle connection does not keep the request in
 * memory.
 */
const answered = Symbol('answered')

const newest = new WeakMap<Socket, IncomingMessage | typeof answered>()

export function noteRequest(request: IncomingMessage): void {
  newest.set(request.socket, request)
}

/**
 * Releases the request after its response. Otherwise each idle connection would keep the body of
 * its last request in memory.
 */
export function forgetRequest(request: IncomingMessage): void {
  if (newest.get(request.socket) === request) newest.set(request.socket, answered)
}

/**
 * Checks whether the connection can be closed after this response without dropping a later request.
 */
export function isNewestRequest(request: IncomingMessage): boolean {
  return (newest.get(request.socket) ?? request) === request
}
