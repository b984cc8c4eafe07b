/** Reads server-sent events as they arrive. */
import { onEnd } from './cleanup.ts'
import { waitUntil } from './wait-until.ts'

export interface SeenEvent {
  readonly event: string
  readonly id: string | null
  readonly data: Readonly<Record<string, unknown>>
}

export interface EventStream {
  readonly status: number
  readonly headers: Headers
  /** Events received so far. */
  readonly events: readonly SeenEvent[]
  /** Returns the last id received, even if it came without an event; null if there was none. */
  lastId(): string | null
  /** Returns the received events with this name. */
  of(event: string): readonly SeenEvent[]
  /** Waits until at least `count` events with this name have arrived, and resolves with them. */
  atLeast(count: number, event: string): Promise<readonly SeenEvent[]>
  /** Returns `ended` if the server closed the stream, `cut` if the connection broke. */
  state(): 'open' | 'ended' | 'cut'
  hangUp(): void
}

export async function openEventStream(
  url: string,
  headers: Record<string, string>
): Promise<EventStream> {
  const controller = new AbortController()
  onEnd(() => Promise.resolve(controller.abort()))
  const response = await fetch(url, { headers, signal: controller.signal })
  const events: SeenEvent[] = []
  let lastId: string | null = null
  let state: ReturnType<EventStream['state']> = 'open'

  async function read(): Promise<void> {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      events.push(...blocks.flatMap(eventOf))
      lastId = blocks.map(idOf).findLast((id) => id !== null) ?? lastId
    }
  }
  read().then(
    () => void (state = 'ended'),
    () => void (state = 'cut')
  )
  const of = (event: string) => events.filter((each) => each.event === event)
  return {
    status: response.status,
    headers: response.headers,
    events,
    lastId: () => lastId,
    of,
    atLeast: async (count, event) => {
      await waitUntil(`${count} events "${event}"`, () => of(event).length >= count)
      return of(event)
    },
    state: () => state,
    hangUp: () => controller.abort()
  }
}

function idOf(block: string): string | null {
  return /^id: (.*)$/m.exec(block)?.[1] ?? null
}

function eventOf(block: string): SeenEvent[] {
  const lines = new Map(
    block.split('\n').map((line) => {
      const [name = '', ...rest] = line.split(': ')
      return [name, rest.join(': ')]
    })
  )
  const [event, data] = [lines.get('event'), lines.get('data')]
  if (event === undefined || data === undefined) return []
  return [{ event, id: lines.get('id') ?? null, data: JSON.parse(data) as SeenEvent['data'] }]
}
