/** Opens live-tail connections and counts the decisions that they receive. */

interface ListenersOrder {
  readonly url: string
  readonly token: string
  readonly count: number
  readonly signal: AbortSignal
}

export interface Listeners {
  /** Returns the number of decisions that all connections together have received so far. */
  received(): number
  close(): void
}

/**
 * Resolves when all listeners are connected.
 * @throws if a connection is rejected
 */
export async function openListeners(order: ListenersOrder): Promise<Listeners> {
  const ended = new AbortController()
  const signal = AbortSignal.any([order.signal, ended.signal])
  let received = 0
  const open = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${order.token}`, accept: 'text/event-stream' }
    const response = await fetch(`${order.url}/v1/decisions/tail`, { headers, signal })
    if (response.status !== 200) throw new Error(`The tail got status ${response.status}.`)
    void listen(response)
  }
  const listen = async ({ body }: Response): Promise<void> => {
    let begun = ''
    try {
      for await (const piece of (body ?? new ReadableStream()).pipeThrough(
        new TextDecoderStream()
      )) {
        const lines = (begun + piece).split('\n')
        begun = lines.pop() ?? ''
        received += lines.filter((line) => line === 'event: decision').length
      }
    } catch {
      // Ignores the error, because closing the connection makes the stream fail.
    }
  }
  await Promise.all(Array.from({ length: order.count }, open))
  return { received: () => received, close: () => ended.abort() }
}
