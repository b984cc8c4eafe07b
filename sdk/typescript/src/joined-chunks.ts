/** What came out of a stream, as one value. */

/** Larger than any decision may be: what comes after it is not kept. */
const charactersMax = 4 * 1024 * 1024
const chunksMax = 100_000

export interface JoinedChunks {
  add(chunk: unknown): void
  /** One text when all chunks were text or bytes (as UTF-8), else all of them in an array. */
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

  /** A character may be spread over two chunks of bytes. */
  function textOf(chunk: unknown): string | null {
    if (typeof chunk === 'string') return chunk
    return chunk instanceof Uint8Array ? decoder.decode(chunk, { stream: true }) : null
  }

  return { add, value: () => (isText ? chunks.join('') + decoder.decode() : chunks) }
}
