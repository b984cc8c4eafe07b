/** Creates the HTTP server, which enforces limits and passes admitted requests to the routes. */
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Clock } from '../core/clock.ts'
import { Problem } from '../core/problem.ts'
import type { Metrics } from '../platform/telemetry/metrics.ts'
import { ambiguityOf } from './admission/ambiguity.ts'
import { makeRoomForConnections } from './admission/connections.ts'
import type { Cors } from './cors.ts'
import type { HttpLimits } from './admission/http-limits.ts'
import { messageClassesOf } from './express.ts'
import type { Express } from './express.ts'
import { noteRequest } from './admission/newest-request.ts'
import { createPipeline } from './admission/pipeline.ts'
import { createReject } from './admission/reject-request.ts'
import { refuseSocket, refuseTunnel } from './admission/refuse-socket.ts'

/**
 * Idle timeout of a connection in milliseconds. It is longer than the usual idle timeout of load
 * balancers (60 s), so that they do not send a request on a connection that is being closed.
 */
const keepAliveTimeoutMs = 75_000
/**
 * Interval between checks for timeouts, in milliseconds. A timeout is detected at most this much
 * later.
 */
const checkIntervalMs = 1000
const headerBytesMax = 16 * 1024
const requestsPerConnectionMax = 100_000
/** Rejection of a request because too many requests are pipelined. */
const tooManyBehind = { reason: 'pipeline', retryAfterSeconds: 1, pauseMs: 0 } as const

export interface ServerLimits {
  readonly connectionsMax: number
  /**
   * Maximum time in milliseconds for the request line and the headers; at most `requestTimeoutMs`.
   */
  readonly headersTimeoutMs: number
  /** Maximum time in milliseconds for the whole request. */
  readonly requestTimeoutMs: number
}

interface GatewayServerDependencies {
  readonly app: Express
  readonly httpLimits: HttpLimits
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
    // ambiguity.ts checks the Host header, because Node's own response has no body.
    requireHostHeader: false,
    noDelay: true
  })
  server.maxConnections = limits.connectionsMax
  // Without this, a full worker would hand the connection back to its primary repeatedly. The types
  // do not declare the property yet.
  Object.assign(server, { dropMaxConnection: true })
  server.maxRequestsPerSocket = requestsPerConnectionMax
  takeRequests(server, dependencies)
  server.on('clientError', refuseSocket)
  server.on('connect', (_request, socket) => refuseTunnel(socket))
  makeRoomForConnections(server, {
    connectionsMax: limits.connectionsMax,
    onClose: () => metrics.count('sluice_shed_total', { reason: 'connections' })
  })
  return server
}

function takeRequests(
  server: Server,
  { app, httpLimits, cors, metrics, clock }: GatewayServerDependencies
): void {
  const { refuse, shed } = createReject({ metrics, clock, cors, writeReply: httpLimits.writeReply })
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    app(request as Parameters<Express>[0], response as Parameters<Express>[1])
  }

  const pipeline = createPipeline()

  function enter(request: IncomingMessage, response: ServerResponse): void {
    const found = httpLimits.admission.admit(request, response, serve)
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
  // 100 Continue is sent when the handler reads the body.
  server.on('checkContinue', take)
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    refuse(request, response, wrongExpectation())
  )
}

function wrongExpectation(): Problem {
  const detail = 'The only supported expectation is 100-continue.'
  return new Problem('expectation_failed', { detail })
}
