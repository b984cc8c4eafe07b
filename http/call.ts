/** Call: represents a request and its response for the routes, independent of the HTTP library. */
import type { IncomingHttpHeaders } from 'node:http'

export interface Call {
  readonly request_id: string
  /**
   * IP address of the client, taken from the connection, or from X-Forwarded-For if a trusted proxy
   * sent it. Empty if the connection is already closed.
   */
  readonly remote_address: string
  readonly headers: IncomingHttpHeaders
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  /**
   * Reads and decompresses the whole body and passes it to `use`, which must not keep it, because a
   * later request reuses the buffer.
   * @throws {Problem} 400, 413, 415 or 503
   */
  useBody<T>(limits: BodyLimits, use: (body: Buffer) => Promise<T>): Promise<T>
  /** Number of body bytes read so far, after decompression. */
  readonly body_bytes: number
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal
}

export interface BodyLimits {
  /** Maximum size of the decompressed body in bytes. Default: 10 MiB. */
  readonly bytesMax?: number
  /** The organization or network whose limits on bodies and bytes apply to this request. */
  readonly sharedBy?: string
  /** Schedules the decompression and use of a long body. Default: immediately. */
  readonly inShare?: WorkShare
}

/** Runs work when its organization or network has a free slot. */
export type WorkShare = <T>(work: () => Promise<T>) => Promise<T>

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Written instead of `body`. */
  readonly bytes?: Uint8Array
  /** Whether all responses share `bytes`, so that unread responses take no memory of their own. */
  readonly isShared?: boolean
  /** Written piece by piece instead of `body`. */
  readonly stream?: ReplyStream
}

/** A body of unknown or unlimited length. */
export interface ReplyStream {
  /**
   * Returns the pieces. Called at most once. Each piece is produced only when it is needed. An
   * error closes the connection, so that the caller never takes a partial body for a complete one.
   *
   * @param signal aborted when the caller disconnects
   */
  pieces(signal: AbortSignal): AsyncIterable<string | Uint8Array>
  /** Trailers: headers whose values are known only at the end. */
  readonly trailers?: { readonly names: readonly string[]; values(): Record<string, string> }
  /** Called once, even if no pieces were written. */
  close(): void
}

export const jsonHeaders = Object.freeze({ 'content-type': 'application/json; charset=utf-8' })

export function jsonReply(status: number, body: string): Reply {
  return { status, headers: jsonHeaders, body }
}

/** Creates a JSON response by serializing a value. */
export function reply(status: number, value: unknown): Reply {
  return jsonReply(status, JSON.stringify(value))
}
