/** Writes a streamed response as fast as the caller reads it. */
import type { ServerResponse } from 'node:http'
import type { Reply, ReplyStream } from '../call.ts'
import { headersOf } from './write-reply.ts'
import type { WriteOptions } from './write-reply.ts'

/**
 * Writes a stream and resolves when it ends. Never rejects: the result is the error, or null if
 * everything was written, or if the caller disconnected or read too slowly. A failed stream closes
 * the connection.
 */
export type WriteStream = (
  response: ServerResponse,
  reply: Reply,
  writing: WriteOptions
) => Promise<unknown>

/**
 * Creates a function that writes streams. It closes the connection if the caller does not read a
 * piece within `timeoutMs`.
 */
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

/** Returns the Trailer header. Only a chunked body can have trailers. */
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
  // Sends the headers before the first piece exists, so that the caller knows that the request is
  // being served.
  response.flushHeaders()
  await waitForSocket(connection)
  for await (const piece of stream.pieces(signal)) {
    if (signal.aborted || response.destroyed) return
    if (piece.length > 0) await writePiece(connection, piece)
  }
  if (!signal.aborted && stream.trailers !== undefined) {
    response.addTrailers(stream.trailers.values())
  }
}

/** Waits until the earlier responses on the connection are written. */
async function waitForSocket({ response, signal }: Connection): Promise<void> {
  if (response.socket !== null || signal.aborted) return
  await new Promise<void>((resolve) => {
    response.once('socket', () => resolve())
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/**
 * Resolves when the kernel has accepted the piece or the connection is closed.
 * @throws {SlowReader}
 */
async function writePiece({ response, timeoutMs }: Connection, piece: string | Uint8Array) {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(new SlowReader()), timeoutMs)
  response.write(piece, () => resolve())
  try {
    await promise
  } finally {
    clearTimeout(timer)
  }
}

/** Thrown if the caller does not read a piece in time. This is not a gateway error. */
class SlowReader extends Error {
  override readonly name = 'SlowReader'
}
