/** Writes an answer whose body is made piece by piece, as fast as its caller reads it. */
import type { ServerResponse } from 'node:http'
import type { Reply, ReplyStream } from '../call.ts'
import { headersOf } from './write-reply.ts'
import type { Writing } from './write-reply.ts'

/**
 * Resolves when the stream is over, and never rejects: with what failed, or with null when it was
 * written whole or the caller is gone. A stream that failed is cut.
 */
export type WriteStream = (
  response: ServerResponse,
  reply: Reply,
  writing: Writing
) => Promise<unknown>

/** Whoever does not take a piece within `timeoutMs` is cut. */
export function createWriteStream(timeoutMs: number): WriteStream {
  return async function writeStream(response, reply, writing) {
    const { stream } = reply
    if (stream === undefined) return null
    const { socket } = response.req
    const hangUp = new AbortController()
    const end = (): void => hangUp.abort()
    socket.on('close', end)
    try {
      if (socket.destroyed || response.destroyed) return null
      const isHead = response.req.method === 'HEAD'
      const trailers = isHead ? [] : trailersOf(response, stream)
      response.writeHead(reply.status, [...headersOf(reply, writing), ...trailers])
      if (!isHead) {
        await writePieces({ response, timeoutMs, signal: hangUp.signal }, stream)
      }
      if (!hangUp.signal.aborted) response.end()
      return null
    } catch (error) {
      const isTheirs = hangUp.signal.aborted || error instanceof SlowReader
      socket.destroy()
      return isTheirs ? null : error
    } finally {
      socket.off('close', end)
      stream.close()
    }
  }
}

/** The header that names them; a body that is not in chunks has no place for any. */
function trailersOf(response: ServerResponse, { trailers }: ReplyStream): string[] {
  const hasPlace = trailers !== undefined && response.useChunkedEncodingByDefault
  return hasPlace ? ['trailer', trailers.names.join(', ')] : []
}

interface Connection {
  readonly response: ServerResponse
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

async function writePieces(connection: Connection, stream: ReplyStream): Promise<void> {
  const { response, signal } = connection
  // A caller sees that it is served before there is anything to tell.
  response.flushHeaders()
  await turnOf(connection)
  for await (const piece of stream.pieces(signal)) {
    if (signal.aborted || response.destroyed) return
    if (piece.length > 0) await give(connection, piece)
  }
  if (!signal.aborted && stream.trailers !== undefined) {
    response.addTrailers(stream.trailers.values())
  }
}

/** Answers to requests before it on the connection go first. */
async function turnOf({ response, signal }: Connection): Promise<void> {
  if (response.socket !== null || signal.aborted) return
  await new Promise<void>((resolve) => {
    response.once('socket', () => resolve())
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Resolves when the kernel has it, or the connection is gone. @throws {SlowReader} */
async function give({ response, timeoutMs }: Connection, piece: string | Uint8Array) {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(new SlowReader()), timeoutMs)
  response.write(piece, () => resolve())
  try {
    await promise
  } finally {
    clearTimeout(timer)
  }
}

/** Did not take a piece in time; nothing of ours has failed. */
class SlowReader extends Error {
  override readonly name = 'SlowReader'
}
