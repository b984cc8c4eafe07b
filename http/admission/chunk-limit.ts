/** Refuses bodies in tiny chunks: each chunk costs as much as a kilobyte, and some hundred bytes of
 *  memory, that no limit counts. */
import type { IncomingMessage } from 'node:http'
import { Problem } from '../../core/problem.ts'
import { refuseBody } from './refuse-socket.ts'

const chunksFree = 1000
/** On average, of the chunks beyond. */
const chunkBytesMin = 64

export function areTooSmall(chunks: number, bytes: number): boolean {
  return chunks > chunksFree && chunks - chunksFree > bytes / chunkBytesMin
}

/** Stops reading, answers and closes the connection. */
export function refuseChunks(request: IncomingMessage): void {
  request.socket.pause()
  refuseBody(request, tooSmall)
}

const tooSmall = new Problem('malformed_request', {
  detail:
    `Send larger chunks: beyond ${chunksFree} they need at least ${chunkBytesMin} bytes each on ` +
    'average.'
})
