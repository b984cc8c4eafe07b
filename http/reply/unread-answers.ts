/** Answers that their callers have not read yet: over all connections they have so many bytes. */
import type { ServerResponse } from 'node:http'

export interface UnreadAnswers {
  /** Counts what the kernel did not take of an answer, until it is read or cut. */
  hold(response: ServerResponse): void
  /** Held now. */
  bytes(): number
}

/** Beyond `bytesMax` those who had the longest time are cut, and `onCut` is called for each. */
export function createUnreadAnswers(bytesMax: number, onCut: () => void): UnreadAnswers {
  const held = new Map<ServerResponse, number>()
  let total = 0

  function release(response: ServerResponse): void {
    total -= held.get(response) ?? 0
    held.delete(response)
  }

  /** The newest is never cut for its own size. */
  function cutOldest(): void {
    for (const response of held.keys()) {
      if (total <= bytesMax || held.size === 1) return
      release(response)
      onCut()
      response.socket?.destroy()
    }
  }

  return {
    hold: (response) => {
      const bytes = response.writableLength
      held.set(response, bytes)
      total += bytes
      response.once('close', () => release(response))
      cutOldest()
    },
    bytes: () => total
  }
}
