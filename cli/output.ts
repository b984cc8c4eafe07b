/** Writes to standard output with backpressure, and handles readers that close the pipe. */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { escapedText } from './plain-text.ts'

export interface Output {
  /** Resolves when the stream accepts more content. */
  write(content: string | Buffer): Promise<void>
  /** Aborted when the reader closes the pipe, for example in `sluice tail | head`. */
  readonly closed: AbortSignal
}

/**
 * Ignores EPIPE and calls `onGone` when the reader closes the pipe. By default, a command such as
 * `sluice dlq replay --execute | head` finishes its work and discards further output.
 */
export function ignoreClosedPipe(stream: Writable, onGone = (): void => {}): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    onGone()
  })
}

/** Creates the output of a command that prints many lines. */
export function createOutput(stream: Writable & { readonly isTTY?: boolean }): Output {
  const closing = new AbortController()
  ignoreClosedPipe(stream, () => closing.abort())

  return {
    write: async (content) => {
      // Escapes characters that JSON does not escape but a terminal interprets.
      const isShown = stream.isTTY === true && typeof content === 'string'
      const safe = isShown ? escapedText(content) : content
      if (closing.signal.aborted || stream.write(safe)) return
      // Stream errors are handled by the listener that `ignoreClosedPipe` adds.
      await once(stream, 'drain', { signal: closing.signal }).catch(() => {})
    },
    closed: closing.signal
  }
}
