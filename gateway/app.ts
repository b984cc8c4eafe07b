/** The routes on Express, which only carries bytes: no middleware, no body parser, no order to get
 *  wrong. */
import express from 'express'
import type { Express, NextFunction, Request, Response } from 'express'
import type { Clock } from '../core/clock.ts'
import { uuidv7 } from '../core/ids.ts'
import { Problem } from '../core/problem.ts'
import type { Logger } from '../platform/logger.ts'
import type { Increment, Metrics } from '../platform/metrics.ts'
import { drain, readBody } from './body.ts'
import type { Call, Reply } from './call.ts'
import type { DocsHandlers } from './docs.ts'
import { problemReply } from './problem-reply.ts'
import type { ReportRefusal } from './report-refusals.ts'
import type { Handle, Route } from './route.ts'

export interface AppDependencies {
  readonly routes: readonly Route[]
  /** Null unless DOCS_ENABLED. */
  readonly docs: DocsHandlers | null
  readonly metrics: Metrics
  readonly logger: Logger
  readonly clock: Clock
  readonly reportRefusal: ReportRefusal
  /** True once the process was told to stop: connections are then closed after their answer. */
  readonly isStopping: () => boolean
}

const requestIdExpression = /^[A-Za-z0-9._-]{1,128}$/

export function createApp(dependencies: AppDependencies): Express {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', 'simple')
  // One resource has one spelling.
  app.enable('case sensitive routing')
  app.enable('strict routing')

  const paths = Map.groupBy(dependencies.routes, (route) => route.path)
  for (const [path, routes] of paths) {
    for (const { method, operation, handle } of routes) {
      app[method](path, createAnswer(dependencies, operation.operation_id, handle))
    }
    const allowed = routes.map(({ method }) => method.toUpperCase()).join(', ')
    app.all(
      path,
      createAnswer(dependencies, 'unknown', () => Promise.reject(wrongMethod(allowed)))
    )
  }
  serveDocs(app, dependencies)
  app.use(createAnswer(dependencies, 'unknown', () => Promise.reject(wrongRoute())))
  app.use(createRefuse(dependencies))
  return app
}

/**
 * What Express itself refuses, such as a path with a broken escape. Its own answer would be a page
 * with a stack, so it never gets to give one; by four parameters it knows an error handler.
 */
function createRefuse(dependencies: AppDependencies) {
  const refuse = createAnswer(dependencies, 'unknown', () => Promise.reject(wrongPath()))

  // eslint-disable-next-line max-params -- Express tells an error handler by its four parameters
  return function refuseError(
    _error: unknown,
    request: Request,
    response: Response,
    _next: NextFunction
  ): Promise<void> {
    return refuse(request, response)
  }
}

function serveDocs(app: Express, dependencies: AppDependencies): void {
  if (dependencies.docs === null) return
  const { page, asset, document } = dependencies.docs
  app.get('/docs', createAnswer(dependencies, 'docs', page))
  app.get('/docs/:file', createAnswer(dependencies, 'docs', asset))
  app.get('/openapi.json', createAnswer(dependencies, 'docs', document))
}

/** Every request gets exactly one answer here, whatever its handler does. */
function createAnswer(dependencies: AppDependencies, operation: string, handle: Handle) {
  const { metrics, clock, isStopping } = dependencies
  const countAnswer = createCountAnswer(metrics, operation)

  return async function answer(request: Request, response: Response): Promise<void> {
    const requestId = requestIdOf(request, clock)
    const reply = await replyOf(dependencies, handle, callOf(request, response, requestId))
    countAnswer(reply.status)
    const isLast = isStopping() || request.headers.connection?.toLowerCase() === 'close'
    // Node closes a connection with its last answer, which would cut off a caller still sending.
    if (isLast) await drain(request)
    write(response, reply, { requestId, isLast })
    if (!(await drain(request))) request.destroy()
  }
}

/** One counter for each status, made when it is first answered. */
function createCountAnswer(metrics: Metrics, operation: string) {
  const counters = new Map<number, Increment>()

  return function countAnswer(status: number): void {
    let increment = counters.get(status)
    if (increment === undefined) {
      const labels = { operation, status: String(status) }
      increment = metrics.counter('sluice_http_requests_total', labels)
      counters.set(status, increment)
    }
    increment()
  }
}

async function replyOf(dependencies: AppDependencies, handle: Handle, call: Call): Promise<Reply> {
  const { logger, reportRefusal } = dependencies
  try {
    return await handle(call)
  } catch (error) {
    if (error instanceof Problem) {
      reportRefusal(error, call.request_id)
      return problemReply(error, call.request_id)
    }
    logger.error({ error, request_id: call.request_id }, 'a request failed unexpectedly')
    const detail = 'The request failed unexpectedly; the request_id finds it in the logs.'
    return problemReply(new Problem('internal_error', { detail }), call.request_id)
  }
}

function callOf(request: Request, response: Response, requestId: string): Call {
  return {
    request_id: requestId,
    headers: request.headers,
    remote_address: request.socket.remoteAddress ?? '',
    params: request.params as Record<string, string>,
    get query() {
      return request.query
    },
    readBody: (bytesMax) => readBody(request, bytesMax),
    // Made on demand: most calls never ask.
    get signal() {
      return signalOf(response)
    }
  }
}

function signalOf(response: Response): AbortSignal {
  const controller = new AbortController()
  if (response.destroyed) controller.abort()
  response.on('close', () => controller.abort())
  return controller.signal
}

function write(
  response: Response,
  { status, headers, body }: Reply,
  { requestId, isLast }: { requestId: string; isLast: boolean }
): void {
  if (response.destroyed) return
  response.writeHead(status, {
    ...headers,
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(body),
    ...(isLast ? { connection: 'close' } : {})
  })
  response.end(body)
}

function requestIdOf(request: Request, clock: Clock): string {
  const given = request.headers['x-request-id']
  if (typeof given === 'string' && requestIdExpression.test(given)) return given
  return uuidv7(clock.now())
}

function wrongMethod(allowed: string): Problem {
  const detail = `This path takes ${allowed}.`
  return new Problem('method_not_allowed', { detail, headers: { allow: allowed } })
}

function wrongPath(): Problem {
  return new Problem('malformed_request', { detail: 'The path is not a valid URL path.' })
}

function wrongRoute(): Problem {
  return new Problem('route_not_found', { detail: 'Nothing is served under this path.' })
}
