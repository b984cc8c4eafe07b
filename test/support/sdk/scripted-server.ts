/** Runs a fake gateway that follows a script and records requests. */
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer as createSocketServer } from 'node:net'
import type { AddressInfo, Server, Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import { answerOf } from './behaviour.ts'
import type { Answer, Behaviour, Item } from './behaviour.ts'
import { parseExactly } from './exact-json.ts'
import { sendAnswer } from './send-answer.ts'

export interface SeenRequest {
  readonly path: string
  readonly headers: IncomingMessage['headers']
  /** Sequence number of the connection, starting at 1. */
  readonly connection: number
  /** Monotonic time in milliseconds at which the request head arrived. */
  readonly beganAt: number
  /** Monotonic time in milliseconds at which the response ended; null until then. */
  endedAt: number | null
  /**
   * Status of the chosen response, even if the connection is reset before the response is sent;
   * null if no response was chosen.
   */
  status: number | null
  isGzip: boolean
  /** Size of the decompressed body in bytes; 0 if it was not read. */
  bytes: number
  /** Decompressed body. */
  text: string
  items: readonly Item[]
  /** Problems found in the request, for example unknown item members. */
  readonly faults: string[]
  client_report: ClientReport | null
}

export interface ClientReport {
  readonly dropped: Readonly<Record<string, number>>
  readonly agent_id?: string
}

/** Stored decision. */
export interface Held {
  /** JSON text as first received. */
  readonly text: string
  times: number
}

export interface ServerScript {
  /** Behaviours of the first requests. Each applies to `times` requests. */
  readonly script?: readonly Behaviour[]
  /** Behaviour after the script. By default, all requests are accepted. */
  readonly then?: Behaviour
  readonly listening?: boolean
  /** Delay in milliseconds before the server reads from a new connection. */
  readonly accept_delay_ms?: number
}

export interface ScriptedServer {
  readonly url: string
  readonly requests: readonly SeenRequest[]
  readonly held: ReadonlyMap<string, Held>
  readonly reports: readonly ClientReport[]
  /** Returns the maximum number of concurrent requests observed. */
  readonly openMax: () => number
  readonly connections: () => number
  behave(behaviour: Behaviour): void
  listen(): Promise<void>
  /** Stops listening and resets all connections. */
  shut(): Promise<void>
}

export async function startScriptedServer(script: ServerScript): Promise<ScriptedServer> {
  const waiting = (script.script ?? []).flatMap((behaviour) =>
    Array.from({ length: behaviour.times ?? 1 }, () => behaviour)
  )
  let standing = script.then ?? {}
  const requests: SeenRequest[] = []
  const held = new Map<string, Held>()
  const reports: ClientReport[] = []
  const sockets = new Map<Socket, number>()
  let connections = 0
  let open = 0
  let openMax = 0

  const http = createServer((request, response) => {
    open += 1
    openMax = Math.max(openMax, open)
    response.once('close', () => (open -= 1))
    serve(request, response).catch(() => response.destroy())
  })
  http.keepAliveTimeout = 0
  const front = createSocketServer({ pauseOnConnect: true }, (socket) => {
    sockets.set(socket, (connections += 1))
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    const pass = (): void => {
      http.emit('connection', socket)
      socket.resume()
    }
    setTimeout(pass, script.accept_delay_ms ?? 0)
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = seenOf(request, sockets.get(request.socket) ?? 0)
    requests.push(seen)
    const behaviour = waiting.shift() ?? standing
    response.once('close', () => (seen.endedAt ??= performance.now()))
    if (behaviour.early !== true && !(await readRequest(request, seen, behaviour))) return
    if (behaviour.hang === true) return
    const answer = answerOf(behaviour, seen)
    await sendAnswer({ request, response, behaviour, answer, onTaken: () => take(seen, answer) })
    seen.endedAt = performance.now()
  }

  /** Stores the decisions before the response is sent, as the gateway does. */
  function take(seen: SeenRequest, answer: Answer): void {
    seen.status = answer.status
    for (const item of answer.queued) hold(seen, item)
    if (answer.isTaken && seen.client_report !== null) reports.push(seen.client_report)
  }

  function hold(seen: SeenRequest, { decision_id, text }: Item): void {
    const before = held.get(decision_id)
    if (before === undefined) held.set(decision_id, { text, times: 1 })
    else {
      before.times += 1
      if (before.text !== text) seen.faults.push(`${decision_id} was sent again with other content`)
    }
  }

  const port = await listen(front, 0)
  const shut = async (): Promise<void> => {
    for (const socket of sockets.keys()) socket.resetAndDestroy()
    if (front.listening) await new Promise((resolve) => front.close(resolve))
  }
  if (script.listening === false) await shut()
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    held,
    reports,
    openMax: () => openMax,
    connections: () => connections,
    behave: (behaviour) => {
      waiting.length = 0
      standing = behaviour
    },
    listen: async () => void (await listen(front, port)),
    shut
  }
}

async function listen(front: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    front.once('error', reject)
    front.listen(port, '127.0.0.1', () => resolve())
  })
  return (front.address() as AddressInfo).port
}

function seenOf({ url = '', headers }: IncomingMessage, connection: number): SeenRequest {
  const began = { path: url, headers, connection, beganAt: performance.now() }
  const nothing = {
    endedAt: null,
    status: null,
    isGzip: false,
    bytes: 0,
    client_report: null,
    text: ''
  }
  return { ...began, ...nothing, items: [], faults: [] }
}

/**
 * Reads the request body. Resolves with false if the behaviour resets the connection before the
 * whole body is read.
 */
async function readRequest(
  request: IncomingMessage,
  seen: SeenRequest,
  { reset }: Behaviour
): Promise<boolean> {
  if (reset === 'at_request' || reset === 'within_request') {
    if (reset === 'within_request') {
      await new Promise((resolve) => request.once('data', resolve).once('end', resolve))
    }
    request.socket.resetAndDestroy()
    return false
  }
  const body = await buffer(request)
  seen.isGzip = request.headers['content-encoding'] === 'gzip'
  const inflated = seen.isGzip ? gunzipSync(body) : body
  seen.bytes = inflated.length
  try {
    seen.text = inflated.toString('utf8')
    Object.assign(seen, membersOf(seen.text))
  } catch (error) {
    seen.faults.push(`the body cannot be read: ${String(error)}`)
  }
  return true
}

function membersOf(text: string): Pick<SeenRequest, 'items' | 'client_report'> {
  const { decisions = [], client_report = null } = parseExactly(text) as {
    decisions?: readonly { decision_id?: unknown }[]
    client_report?: ClientReport | null
  }
  const items = decisions.map((decision) => ({
    decision_id: String(decision.decision_id),
    text: JSON.stringify(decision)
  }))
  // Serialize and parse again, to turn raw JSON numbers into numbers.
  return { items, client_report: JSON.parse(JSON.stringify(client_report)) as ClientReport | null }
}
