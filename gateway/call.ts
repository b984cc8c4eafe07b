/** A request and its answer as the routes see them; no type of the HTTP library appears here. */
import type { IncomingHttpHeaders } from 'node:http'
import type { ApiKeyScope } from '../core/api-key.ts'

export interface Call {
  readonly request_id: string
  /** IP address of the other end of the connection; empty when it is already gone. */
  readonly remote_address: string
  readonly headers: IncomingHttpHeaders
  /** Placeholders of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
  /**
   * The whole body, inflated; at most `bytesMax`, else 10 MiB. @throws {Problem} 400, 413 or 415.
   */
  readBody(bytesMax?: number): Promise<Buffer>
  /** Aborted when the caller hangs up. */
  readonly signal: AbortSignal
}

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

/** An agent's key: what it may do and whose it is. */
export interface KeyPrincipal {
  readonly kind: 'api_key'
  readonly organization_id: string
  readonly key_id: string
  readonly scopes: readonly ApiKeyScope[]
  /** The organization's own limit; null follows the configuration. */
  readonly rate_limit_points: number | null
  /** The key's own limit beside the organization's; null is none. */
  readonly key_rate_limit_points: number | null
}

/** A person who logged in. */
export interface SessionPrincipal {
  readonly kind: 'session'
  readonly organization_id: string
  readonly user_id: string
  /** As it is now, whatever the token says. */
  readonly role: string
  readonly session_id: string
}

export type Principal = KeyPrincipal | SessionPrincipal

export const jsonHeaders = Object.freeze({ 'content-type': 'application/json; charset=utf-8' })

export function jsonReply(status: number, body: string): Reply {
  return { status, headers: jsonHeaders, body }
}
