/** Standard output, whose reader may be slow or go away. */
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { escapedText } from './plain-text.ts'

export interface Output {
  /** Resolves when more may be written. */
  write(content: string | Buffer): Promise<void>
  /** Aborted once nobody reads: `sluice tail | head` has seen enough. */
  readonly closed: AbortSignal
}

/** Calls `onGone` once nobody reads any more. Without it the command ends what it began, unheard:
 *  `sluice dlq replay --execute | head`.
 */
export function outliveReader(stream: Writable, onGone = (): void => {}): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    onGone()
  })
}

/** For a command that may print for long: it waits for whoever reads, and ends when nobody does. */
export function createOutput(stream: Writable & { readonly isTTY?: boolean }): Output {
  const closing = new AbortController()
  outliveReader(stream, () => closing.abort())

  return {
    write: async (content) => {
      // A terminal obeys some characters that JSON leaves as they are; a pipe gets what was sent.
      const isShown = stream.isTTY === true && typeof content === 'string'
      const safe = isShown ? escapedText(content) : content
      if (closing.signal.aborted || stream.write(safe)) return
      // A stream that breaks while it is waited for has said so above.
      await once(stream, 'drain', { signal: closing.signal }).catch(() => {})
    },
    closed: closing.signal
  }
}
