/** What differs between Node and the edge: everything that a client asks its surroundings for. */

export interface Exchange {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer>
  /** From the first byte of the request to the last of its answer. */
  readonly timeoutMs: number
  /** Ends the exchange early; it rejects then. */
  readonly signal: AbortSignal
}

export interface Answer {
  readonly status: number
  readonly retryAfter: string | undefined
  /** Undefined when it is longer than anything that a gateway says. */
  readonly body: string | undefined
}

/** Rejects when there is no whole answer: no connection, reset, timeout, cut short. */
export type Transport = (exchange: Exchange) => Promise<Answer>

/** What the end of a process asks of a client. */
export interface Endable {
  /** Sends what is left; tells how much of it is left then. */
  flush(timeoutMs: number): Promise<{ readonly pending: number }>
  /** Gives up what is left and tells how many decisions that were. */
  giveUp(): number
  readonly shutdownMs: number
  readonly handleSignals: boolean
}

export interface Platform {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Whether the host may be frozen as soon as it has answered, so that nothing should wait. */
  readonly mayFreeze: boolean
  readonly transport: Transport
  gzip(text: string): Promise<Uint8Array<ArrayBuffer>>
  /** Shows one line to whoever runs the program. */
  warn(line: string): void
  /** Milliseconds since 1970. */
  wallClock(): number
  /** Milliseconds that never go back. */
  clock(): number
  /** From 0 up to, but not including, 1. */
  random(): number
  fillRandom(bytes: Uint8Array<ArrayBuffer>): void
  /** Bytes of a text in UTF-8. */
  byteLength(text: string): number
  /** Does not keep the process alive unless `hold`; what it returns cancels the timer. */
  startTimer(run: () => void, delayMs: number, hold?: boolean): () => void
  /** Has the client sent or count what is left when the process ends; returns how to forget it. */
  watchEnd(client: Endable): () => void
}
