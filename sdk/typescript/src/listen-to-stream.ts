/** Hears what a web stream gives to whoever reads it, at their pace. */
import type { Listener } from './listener.ts'

interface Reader {
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>
  cancel(reason?: unknown): Promise<void>
}

interface Controller {
  enqueue(chunk: unknown): void
  close(): void
}

interface Stream {
  readonly locked: boolean
  getReader(): Reader
  pipeThrough(pair: object): object
}

type StreamClass = new (
  source: { pull(controller: Controller): Promise<void>; cancel(reason: unknown): Promise<void> },
  strategy: { highWaterMark: number }
) => object

/** One that somebody reads already is none of ours. */
export function isReadableStream(value: object): value is Stream {
  const { getReader, pipeThrough, locked } = value as Partial<Stream>
  return typeof getReader === 'function' && typeof pipeThrough === 'function' && locked === false
}

/**
 * A stream of the same chunks: only a real one can be the body of an answer. It reads a chunk when
 * it is asked for one, and what cancels it cancels the source.
 */
export function listenToStream(stream: Stream, listener: Listener): object {
  const { ReadableStream } = globalThis as unknown as { ReadableStream: StreamClass }
  const reader = stream.getReader()

  async function pull(controller: Controller): Promise<void> {
    const { done, value } = await reader.read().catch((error: unknown) => {
      listener.fail(error)
      throw error
    })
    if (done) {
      listener.end()
      controller.close()
    } else {
      listener.chunk(value)
      controller.enqueue(value)
    }
  }

  function cancel(reason: unknown): Promise<void> {
    listener.end()
    return reader.cancel(reason)
  }

  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 })
}
