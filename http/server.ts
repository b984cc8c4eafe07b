/** The HTTP server: its limits, and who gets past it to the routes. */
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Clock } from '../core/clock.ts'
import { Problem } from '../core/problem.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import { ambiguityOf } from './admission/ambiguity.ts'
import { makeRoomFor } from './admission/connections.ts'
import type { Cors } from './cors.ts'
import type { Door } from './admission/door.ts'
import { messageClassesOf } from './express.ts'
import type { Express } from './express.ts'
import { noteRequest } from './admission/newest-request.ts'
import { createPipeline } from './admission/pipeline.ts'
import { createRefuse } from './admission/refuse-request.ts'
import { refuseSocket, refuseTunnel } from './admission/refuse-socket.ts'

/** Above a load balancer's idle time (60 s), or it would send into connections we just closed. */
const keepAliveTimeoutMs = 75_000
/** Who is late is found out as much later. */
const checkIntervalMs = 1000
const headerBytesMax = 16 * 1024
const requestsPerConnectionMax = 100_000
/** Where they are sent without waiting for answers. */
const tooManyBehind = { reason: 'pipeline', retryAfterSeconds: 1, pauseMs: 0 } as const

export interface ServerLimits {
  readonly connectionsMax: number
  /** For the request line and the headers; at most `requestTimeoutMs`. */
  readonly headersTimeoutMs: number
  /** For all of a request. */
  readonly requestTimeoutMs: number
}

export interface GatewayServerDependencies {
  readonly app: Express
  readonly door: Door
  readonly cors: Cors
  readonly metrics: Metrics
  readonly clock: Clock
  readonly limits: ServerLimits
}

export function createGatewayServer(dependencies: GatewayServerDependencies): Server {
  const { app, metrics, limits } = dependencies
  const server = createServer({
    ...messageClassesOf(app),
    headersTimeout: Math.min(limits.headersTimeoutMs, limits.requestTimeoutMs),
    requestTimeout: limits.requestTimeoutMs,
    keepAliveTimeout: keepAliveTimeoutMs,
    connectionsCheckingInterval: checkIntervalMs,
    maxHeaderSize: headerBytesMax,
    insecureHTTPParser: false,
    // Checked below, since Node's own refusal has no body.
    requireHostHeader: false,
    noDelay: true
  })
  server.maxConnections = limits.connectionsMax
  // A worker that is full would hand the connection back to its primary, again and again. The types
  // do not know this property yet.
  Object.assign(server, { dropMaxConnection: true })
  server.maxRequestsPerSocket = requestsPerConnectionMax
  takeRequests(server, dependencies)
  server.on('clientError', refuseSocket)
  server.on('connect', (_request, socket) => refuseTunnel(socket))
  makeRoomFor(server, {
    connectionsMax: limits.connectionsMax,
    onClose: () => metrics.count('sluice_shed_total', { reason: 'connections' })
  })
  return server
}

function takeRequests(
  server: Server,
  { app, door, cors, metrics, clock }: GatewayServerDependencies
): void {
  const { refuse, shed } = createRefuse({ metrics, clock, cors, writeReply: door.writeReply })
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    app(request as Parameters<Express>[0], response as Parameters<Express>[1])
  }

  const pipeline = createPipeline()

  function enter(request: IncomingMessage, response: ServerResponse): void {
    const found = door.admission.admit(request, response, serve)
    if (found !== null) shed(request, response, found)
  }

  function take(request: IncomingMessage, response: ServerResponse): void {
    noteRequest(request)
    const wrong = ambiguityOf(request)
    if (wrong !== null) return refuse(request, response, wrong)
    if (!pipeline.isBehind(response)) return enter(request, response)
    const isWaiting = pipeline.wait(request, response, () => enter(request, response))
    if (!isWaiting) shed(request, response, tooManyBehind)
  }
  server.on('request', take)
  // A caller that asks before sending is answered where the body is read.
  server.on('checkContinue', take)
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    refuse(request, response, wrongExpectation())
  )
}

function wrongExpectation(): Problem {
  const detail = 'The only expectation that is met here is 100-continue.'
  return new Problem('expectation_failed', { detail })
}
