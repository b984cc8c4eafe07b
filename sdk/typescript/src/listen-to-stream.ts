/** Observes the chunks of a web stream as its consumer reads them. */
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

/** Checks for a web stream without a reader, because only such a stream can be observed. */
export function isReadableStream(value: object): value is Stream {
  const { getReader, pipeThrough, locked } = value as Partial<Stream>
  return typeof getReader === 'function' && typeof pipeThrough === 'function' && locked === false
}

/**
 * Returns a ReadableStream with the same chunks, because only a ReadableStream can be a response
 * body. It reads chunks on demand, and cancelling it cancels the source.
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
