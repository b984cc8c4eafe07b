/** Standard output of a command that may print for long: it waits for whoever reads, and ends when
 *  nobody does any more.
 */
import { once } from 'node:events'
import type { Writable } from 'node:stream'

export interface Output {
  /** Resolves when more may be written. */
  write(content: string | Buffer): Promise<void>
  /** Aborted once nobody reads: `sluice tail | head` has seen enough. */
  readonly closed: AbortSignal
}

export function createOutput(stream: Writable): Output {
  const closing = new AbortController()
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
    closing.abort()
  })

  return {
    write: async (content) => {
      if (closing.signal.aborted || stream.write(content)) return
      // A stream that breaks while it is waited for has said so above.
      await once(stream, 'drain', { signal: closing.signal }).catch(() => {})
    },
    closed: closing.signal
  }
}
