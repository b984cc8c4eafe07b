/** Joins the chunks of a stream into one value. */

/**
 * Maximum number of characters to keep, more than a decision can have. Later chunks are discarded.
 */
const charactersMax = 4 * 1024 * 1024
const chunksMax = 100_000

export interface JoinedChunks {
  add(chunk: unknown): void
  /** Returns one string if all chunks are text or UTF-8 bytes, otherwise an array of the chunks. */
  value(): unknown
}

export function joinChunks(): JoinedChunks {
  const decoder = new TextDecoder()
  const chunks: unknown[] = []
  let characters = 0
  let isText = true

  function add(chunk: unknown): void {
    if (characters > charactersMax || chunks.length >= chunksMax) return
    const text = textOf(chunk)
    isText &&= text !== null
    characters += text?.length ?? 0
    chunks.push(text ?? chunk)
  }

  /**
   * Returns null for a chunk that is not text. Decodes bytes as a stream, because a character can
   * be split across chunks.
   */
  function textOf(chunk: unknown): string | null {
    if (typeof chunk === 'string') return chunk
    return chunk instanceof Uint8Array ? decoder.decode(chunk, { stream: true }) : null
  }

  return { add, value: () => (isText ? chunks.join('') + decoder.decode() : chunks) }
}
