/** A request and its answer as the routes see them; no type of the HTTP library appears here. */
import type { IncomingHttpHeaders } from 'node:http'

export interface Call {
  readonly request_id: string
  /**
   * IP address of the client: of the connection, or as TRUSTED_PROXIES forward it; empty when the
   * connection is already gone.
   */
  readonly remote_address: string
  readonly headers: IncomingHttpHeaders
  /** Placeholders of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  /**
   * Reads the whole body and gives it, inflated, to `use`.
   * @throws {Problem} 400, 413, 415 or 503
   */
  useBody<T>(limits: BodyLimits, use: (body: Buffer) => Promise<T>): Promise<T>
  /** So many bytes of it were read so far, inflated. */
  readonly body_bytes: number
  /** Aborted when the caller hangs up. */
  readonly signal: AbortSignal
}

export interface BodyLimits {
  /** 10 MiB where it is not said. */
  readonly bytesMax?: number
  /** An organization or a network: it has a share of requests with a body, and of their bytes. */
  readonly sharedBy?: string
  /** Long bodies are inflated and used in it; without it, at once. */
  readonly inShare?: WorkShare
}

/** Runs work when it is its turn. */
export type WorkShare = <T>(work: () => Promise<T>) => Promise<T>

export interface Reply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Written piece by piece in place of `body`. */
  readonly stream?: ReplyStream
}

/** A body of any length, or without an end. */
export interface ReplyStream {
  /**
   * Called at most once; who pulls is the connection, so nothing is made that nobody takes. What it
   * throws cuts the connection, so that nobody takes a half for the whole.
   *
   * @param signal aborted when the caller hangs up.
   */
  pieces(signal: AbortSignal): AsyncIterable<string | Uint8Array>
  /** Names of what is only known at the end, and their values then. */
  readonly trailers?: { readonly names: readonly string[]; values(): Record<string, string> }
  /** Called once, whether pieces were written or not. */
  close(): void
}

export const jsonHeaders = Object.freeze({ 'content-type': 'application/json; charset=utf-8' })

export function jsonReply(status: number, body: string): Reply {
  return { status, headers: jsonHeaders, body }
}
