/** Events in the form that browsers read: the text/event-stream of the HTML standard. */

export interface ServerSentEvent {
  readonly event: string
  /** JSON, and so without a line break. */
  readonly data: string
  /** What a caller that comes back says it has seen last. */
  readonly id?: string
}

export function serverSentEvent({ event, data, id }: ServerSentEvent): string {
  const idLine = id === undefined ? '' : `id: ${id}\n`
  return `event: ${event}\n${idLine}data: ${data}\n\n`
}

/** How long a browser waits before it comes back. */
const retryLine = 'retry: 2000'

/** No event, but an id: who has seen none before he comes back has missed nothing, either. */
export function openingOf(id: string): string {
  return `id: ${id}\n${retryLine}\n\n`
}

export const eventStreamHeaders = Object.freeze({
  'content-type': 'text/event-stream; charset=utf-8',
  // Proxies that gather an answer before they pass it on leave this one alone.
  'x-accel-buffering': 'no'
})
