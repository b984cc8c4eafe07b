/** Limits tiny body chunks. Each chunk costs as much time as a kilobyte of body, and a few hundred
 * bytes of memory that no other limit counts.
 */
import type { IncomingMessage } from 'node:http'
import { Problem } from '../../core/problem.ts'
import { refuseBody } from './refuse-socket.ts'

const chunksFree = 1000
/**
 * Minimum number of body bytes for each chunk after the first `chunksFree`, on average. The bytes
 * of the first chunks count as well.
 */
const chunkBytesMin = 64

export function areTooSmall(chunks: number, bytes: number): boolean {
  return chunks > chunksFree && chunks - chunksFree > bytes / chunkBytesMin
}

/** Stops reading, responds with an error and closes the connection. */
export function refuseChunks(request: IncomingMessage): void {
  request.socket.pause()
  refuseBody(request, tooSmall)
}

const tooSmall = new Problem('malformed_request', {
  detail:
    `The body has too many small chunks. Beyond the first ${chunksFree}, chunks must have ` +
    `at least ${chunkBytesMin} bytes on average.`
})
