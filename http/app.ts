/** Registers the routes on Express, which only dispatches requests: no middleware, no body parser,
 * no dependence on the order of registration.
 */
import { Problem } from '../core/problem.ts'
import { createResponder } from './reply/responder.ts'
import type { ResponderDependencies, Endpoint } from './reply/responder.ts'
import type { ConsoleHandlers } from './console.ts'
import type { Cors } from './cors.ts'
import type { DocsHandlers } from './docs.ts'
import { createExpress } from './express.ts'
import type { Express, NextFunction, Request, Response } from './express.ts'
import type { Handle, Route } from './route.ts'

export interface AppDependencies extends ResponderDependencies {
  readonly routes: readonly Route[]
  /** Addresses and networks whose X-Forwarded-For is trusted. */
  readonly trustedProxies: readonly string[]
  /** Null unless DOCS_ENABLED is set. */
  readonly docs: DocsHandlers | null
  /** Null unless CONSOLE_ENABLED is set and the API is served. */
  readonly console: ConsoleHandlers | null
}

export function createApp(dependencies: AppDependencies): Express {
  const app = createExpress()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', 'simple')
  // Each resource has exactly one URL.
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('trust proxy', dependencies.trustedProxies)

  // Express tries the routes in order, and most requests are for ingest, whose paths are fixed.
  const ordered = dependencies.routes.toSorted(bySpecificity)
  const [ingest, others] = [ordered.filter(isIngest), ordered.filter((one) => !isIngest(one))]
  const paths = Map.groupBy([...ingest, ...others], (route) => route.path)
  for (const [path, routes] of paths) {
    for (const route of routes) {
      const { method, operation, handle } = route
      const endpoint = { operation: operation.operation_id, handle, isIngest: isIngest(route) }
      app[method](path, createResponder(dependencies, endpoint))
    }
    const allowed = routes.map(({ method }) => method.toUpperCase()).join(', ')
    app.options(path, createResponder(dependencies, createPreflight(dependencies.cors, allowed)))
    app.all(path, createRefusal(dependencies, wrongMethod(allowed)))
  }
  serveDocs(app, dependencies)
  serveConsole(app, dependencies)
  app.use(createRefusal(dependencies, wrongRoute))
  app.use(createRefuseError(dependencies))
  return app
}

function isIngest({ surface }: Route): boolean {
  return surface === 'ingest'
}

/** Sorts parameters after fixed segments, because Express takes the first route that matches. */
export function bySpecificity(left: Pick<Route, 'path'>, right: Pick<Route, 'path'>): number {
  const a = left.path.replaceAll(/:\w+/g, '\uffff')
  const b = right.path.replaceAll(/:\w+/g, '\uffff')
  return a < b ? -1 : Number(a > b)
}

/** Creates the endpoint for browsers' preflight requests. Other OPTIONS requests are rejected. */
function createPreflight(cors: Cors, allowed: string): Endpoint {
  const refuse = wrongMethod(allowed)
  const handle: Handle = async ({ headers }) => {
    const reply = cors.preflight(headers, allowed)
    if (reply === null) throw refuse()
    return reply
  }
  return { operation: 'preflight', handle }
}

function createRefusal(dependencies: AppDependencies, problem: () => Problem) {
  const handle = () => Promise.reject(problem())
  return createResponder(dependencies, { operation: 'unknown', handle })
}

/**
 * Handles errors of Express itself, for example a path with an invalid escape. Express would
 * respond with a page that contains a stack trace. It recognizes an error handler by its four
 * parameters.
 */
function createRefuseError(dependencies: AppDependencies) {
  const refuse = createRefusal(dependencies, wrongPath)
  const { httpLimits, logger } = dependencies

  // eslint-disable-next-line max-params -- an error handler of Express has four parameters
  return function refuseError(
    error: unknown,
    request: Request,
    response: Response,
    _next: NextFunction
  ): Promise<void> {
    if (error instanceof URIError || statusOf(error) === 400) return refuse(request, response)
    // Writing the response failed, so no other response can be sent and the request is over.
    logger.error({ error }, 'response failed unexpectedly')
    httpLimits.admission.leave()
    response.destroy()
    return Promise.resolve()
  }
}

function statusOf(error: unknown): unknown {
  return error instanceof Error && 'status' in error ? error.status : undefined
}

function serveDocs(app: Express, dependencies: AppDependencies): void {
  if (dependencies.docs === null) return
  const { page, asset, document } = dependencies.docs
  const operation = 'docs'
  app.get('/docs', createResponder(dependencies, { operation, handle: page }))
  app.get('/docs/:file', createResponder(dependencies, { operation, handle: asset }))
  app.get('/openapi.json', createResponder(dependencies, { operation, handle: document }))
}

function serveConsole(app: Express, dependencies: AppDependencies): void {
  if (dependencies.console === null) return
  const { page, asset, redirect } = dependencies.console
  const operation = 'console'
  app.get('/console', createResponder(dependencies, { operation, handle: redirect }))
  app.get('/console/assets/:file', createResponder(dependencies, { operation, handle: asset }))
  app.get('/console/{*path}', createResponder(dependencies, { operation, handle: page }))
}

function wrongMethod(allowed: string) {
  const detail = `This path allows only ${allowed}.`
  return () => new Problem('method_not_allowed', { detail, headers: { allow: allowed } })
}

function wrongPath(): Problem {
  return new Problem('malformed_request', { detail: 'The path is not a valid URL path.' })
}

function wrongRoute(): Problem {
  return new Problem('route_not_found', { detail: 'No route matches this path.' })
}
