/** Limits the bytes of responses that callers have not read, across all connections. */
import type { ServerResponse } from 'node:http'

export interface UnreadResponses {
  /**
   * Counts the bytes that the kernel has not accepted, until the response is sent or the connection
   * is closed.
   */
  hold(response: ServerResponse): void
  /** Returns the number of bytes currently held. */
  bytes(): number
}

/**
 * Limits unread bytes to `bytesMax` by closing the connections with the oldest unread responses.
 * Calls `onCut` for each.
 */
export function createUnreadResponses(bytesMax: number, onCut: () => void): UnreadResponses {
  const held = new Map<ServerResponse, number>()
  let total = 0

  function release(response: ServerResponse): void {
    total -= held.get(response) ?? 0
    held.delete(response)
  }

  /**
   * Closes connections, oldest response first, until the limit is met. Keeps the newest response
   * regardless of its size.
   */
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
