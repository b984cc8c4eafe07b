/** Platform interface: everything that differs between Node and edge hosts. */

export interface Exchange {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer>
  /** Maximum time from the first byte of the request to the last byte of the response. */
  readonly timeoutMs: number
  /** Aborts the exchange, which then rejects. */
  readonly signal: AbortSignal
}

export interface HttpResponse {
  readonly status: number
  readonly retryAfter: string | undefined
  /** Undefined if the body exceeds 4 MiB, which is more than any response to a batch. */
  readonly body: string | undefined
}

/** Sends a request. Rejects unless a complete response arrives within the timeout. */
export type Transport = (exchange: Exchange) => Promise<HttpResponse>

/** The client operations used when the process ends. */
export interface ShutdownTarget {
  /** Sends the remaining decisions and resolves with the number still pending. */
  flush(timeoutMs: number): Promise<{ readonly pending: number }>
  /** Drops the remaining decisions and returns their number. */
  dropRemaining(): number
  readonly shutdownMs: number
  readonly handleSignals: boolean
}

export interface Platform {
  readonly environment: Readonly<Record<string, string | undefined>>
  /**
   * True if the host may freeze the process after a response, so that sending must not be delayed.
   */
  readonly mayFreeze: boolean
  readonly transport: Transport
  gzip(text: string): Promise<Uint8Array<ArrayBuffer>>
  /** Prints one line to stderr or the host's log. */
  warn(line: string): void
  /** Returns Unix time in milliseconds. */
  wallClock(): number
  /** Returns monotonic time in milliseconds. */
  clock(): number
  /** Returns a random number from 0 (inclusive) to 1 (exclusive). */
  random(): number
  fillRandom(bytes: Uint8Array<ArrayBuffer>): void
  /** Returns the length of the text in UTF-8 bytes. */
  byteLength(text: string): number
  /**
   * Starts a timer and returns a function that cancels it. The timer keeps the process alive only
   * with `hold`.
   */
  startTimer(run: () => void, delayMs: number, hold?: boolean): () => void
  /**
   * Sends the client's remaining decisions when the process ends, or counts them as lost. Does
   * nothing on edge hosts. Returns a function that unregisters the client.
   */
  onShutdown(client: ShutdownTarget): () => void
}
