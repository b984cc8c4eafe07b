/** Listeners of the live tail, who count what they are told. */

export interface ListenersOrder {
  readonly url: string
  readonly token: string
  readonly count: number
  readonly signal: AbortSignal
}

export interface Listeners {
  /** Decisions that all of them were told of so far. */
  told(): number
  close(): void
}

/** Resolves when each of them is connected. @throws when one is refused. */
export async function openListeners(order: ListenersOrder): Promise<Listeners> {
  const ended = new AbortController()
  const signal = AbortSignal.any([order.signal, ended.signal])
  let told = 0
  const open = async (): Promise<void> => {
    const headers = { authorization: `Bearer ${order.token}`, accept: 'text/event-stream' }
    const response = await fetch(`${order.url}/v1/decisions/tail`, { headers, signal })
    if (response.status !== 200) throw new Error(`The tail was answered ${response.status}.`)
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
        told += lines.filter((line) => line === 'event: decision').length
      }
    } catch {
      // It was closed.
    }
  }
  await Promise.all(Array.from({ length: order.count }, open))
  return { told: () => told, close: () => ended.abort() }
}
