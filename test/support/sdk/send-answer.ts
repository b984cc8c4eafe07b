/** Sends responses of the scripted server, including faulty ones. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Answer, Behaviour } from './behaviour.ts'

export interface Sending {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly behaviour: Behaviour
  readonly answer: Answer
  /** Called just before the final response head is sent, or before a reset that replaces it. */
  readonly onTaken: () => void
}

/** Sends the response and resolves when it is finished. */
export async function sendAnswer(sending: Sending): Promise<void> {
  const { request, response, behaviour, answer, onTaken } = sending
  const { delay_ms, hints, reset, early } = behaviour
  if (delay_ms !== undefined) await pause(delay_ms)
  if (hints === true) response.writeEarlyHints({ link: '</style.css>; rel=preload' })
  onTaken()
  if (reset === 'before_answer') return void request.socket.resetAndDestroy()
  const length = { 'content-length': Buffer.byteLength(answer.body) }
  const isChunked = behaviour.chunked === true
  response.writeHead(answer.status, { ...answer.headers, ...(isChunked ? {} : length) })
  if (reset === 'within_answer' || behaviour.truncate === true) return breakOff(sending)
  if (behaviour.trickle_ms !== undefined) return await trickle(sending, behaviour.trickle_ms)
  await new Promise<void>((resolve) => response.end(answer.body, () => resolve()))
  if (behaviour.drop_idle === true || early === true) request.socket.destroy()
}

function breakOff({ request, response, behaviour, answer }: Sending): void {
  const half = answer.body.slice(0, Math.floor(answer.body.length / 2))
  response.write(half, () => {
    if (behaviour.truncate === true) request.socket.end()
    else request.socket.resetAndDestroy()
  })
}

async function trickle({ response, answer }: Sending, eachMs: number): Promise<void> {
  for (const byte of answer.body) {
    if (response.destroyed) return
    response.write(byte)
    await pause(eachMs)
  }
  response.end()
}
