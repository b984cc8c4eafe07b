/** Runs a TCP proxy between clients and the broker. The proxy can drop responses, hold requests,
 * freeze, and refuse connections.
 */
import { connect, createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import {
  createFrameSplitter,
  offsetCommitApiKey,
  produceApiKey,
  readCorrelationId,
  readOffsetCommit,
  readRequestHeader
} from './kafka-frames.ts'
import type { OffsetCommit } from './kafka-frames.ts'

const host = '127.0.0.1'

export type KafkaProxy = {
  /** Value for KAFKA_BROKERS. */
  readonly brokers: string
  /**
   * Drops the next `count` responses to Produce requests, and cuts the connection each time. The
   * broker has already executed the requests.
   */
  swallowProduceResponses(count: number): void
  /** Returns the number of dropped responses. */
  swallowed(): number
  /** Returns the number of Produce requests received so far. */
  produceRequests(): number
  /**
   * Starts to hold OffsetCommit requests: they do not reach the broker, so the client gets no
   * response. Discards requests already held.
   */
  holdOffsetCommits(): void
  heldOffsetCommits(): number
  heldCommits(): readonly OffsetCommit[]
  /** Stops holding new OffsetCommit requests. Requests already held stay held. */
  passOffsetCommits(): void
  /** Stops holding OffsetCommit requests, and forwards those already held to the broker. */
  releaseOffsetCommits(): void
  /** Stops forwarding without closing connections, like a suspended machine. */
  freeze(): void
  /** Cuts every connection and refuses new ones, like a machine on which the broker is stopped. */
  refuse(): Promise<void>
  /** Cuts every open connection. */
  cut(): void
  /**
   * Resumes forwarding, accepts connections, and stops holding new OffsetCommit requests. Requests
   * already held stay held.
   */
  heal(): Promise<void>
  close(): Promise<void>
}

type State = {
  toSwallow: number
  swallowed: number
  produceRequests: number
  holdsCommits: boolean
  held: Held[]
  isFrozen: boolean
  readonly links: Set<Link>
}

/** Request that is held back from the broker, and the connection on which to forward it. */
type Held = { readonly frame: Buffer; readonly broker: Socket }

/** Client connection and its connection to the broker. */
type Link = { readonly client: Socket; readonly broker: Socket; cut(): void }

type KafkaProxyOptions = {
  /** Port for clients. The broker's PROXY listener must advertise it. */
  port: number
  /** Address (host:port) of the broker's PROXY listener. */
  target: string
}

export async function createKafkaProxy(options: KafkaProxyOptions): Promise<KafkaProxy> {
  const links = new Set<Link>()
  const state: State = {
    toSwallow: 0,
    swallowed: 0,
    produceRequests: 0,
    holdsCommits: false,
    held: [],
    isFrozen: false,
    links
  }
  const { hostname, port: targetPort } = new URL(`kafka://${options.target}`)
  const server = createServer((client) => {
    link(client, connect(Number(targetPort), hostname), state)
  })
  const cut = (): void => links.forEach((each) => each.cut())
  await listen(server, options.port)

  async function refuse(): Promise<void> {
    const closed = closeServer(server)
    cut()
    await closed
  }

  async function heal(): Promise<void> {
    state.isFrozen = false
    state.holdsCommits = false
    for (const { client, broker } of links) [client, broker].forEach((socket) => socket.resume())
    if (!server.listening) await listen(server, options.port)
  }

  return {
    brokers: `${host}:${options.port}`,
    swallowProduceResponses: (count) => void (state.toSwallow = count),
    swallowed: () => state.swallowed,
    produceRequests: () => state.produceRequests,
    holdOffsetCommits: () => {
      state.held = []
      state.holdsCommits = true
    },
    heldOffsetCommits: () => state.held.length,
    heldCommits: () => state.held.map(({ frame }) => readOffsetCommit(frame)),
    passOffsetCommits: () => void (state.holdsCommits = false),
    releaseOffsetCommits: () => {
      state.holdsCommits = false
      const { held } = state
      state.held = []
      for (const { broker, frame } of held) if (broker.writable) broker.write(frame)
    },
    freeze: () => {
      state.isFrozen = true
      for (const { client, broker } of links) [client, broker].forEach((socket) => socket.pause())
    },
    refuse,
    cut,
    heal,
    close: refuse
  }
}

function link(client: Socket, broker: Socket, state: State): void {
  const produces = new Set<number>()
  const cut = (): void => {
    client.destroy()
    broker.destroy()
    state.links.delete(made)
  }
  const made: Link = { client, broker, cut }
  state.links.add(made)

  forward(client, broker, (frame) => {
    const { apiKey, correlationId } = readRequestHeader(frame)
    if (apiKey === offsetCommitApiKey && state.holdsCommits) {
      state.held.push({ frame, broker })
      return false
    }
    if (apiKey !== produceApiKey) return true
    produces.add(correlationId)
    state.produceRequests += 1
    return true
  })
  forward(broker, client, (frame) => {
    if (!produces.delete(readCorrelationId(frame)) || state.toSwallow === 0) return true
    state.toSwallow -= 1
    state.swallowed += 1
    cut()
    return false
  })
  for (const socket of [client, broker]) {
    socket.setNoDelay(true)
    socket.on('error', cut)
    socket.on('close', cut)
    if (state.isFrozen) socket.pause()
  }
}

/** Forwards the frames for which `mayPass` returns true. */
function forward(from: Socket, to: Socket, mayPass: (frame: Buffer) => boolean): void {
  const split = createFrameSplitter()
  from.on('data', (chunk: Buffer) => {
    for (const frame of split(chunk)) {
      if (mayPass(frame)) to.write(frame)
    }
  })
}

async function listen(server: Server, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  server.once('error', reject)
  server.listen(port, host, resolve)
  await promise.finally(() => server.off('error', reject))
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return
  await new Promise((resolve) => server.close(resolve))
}
