/** The routes on Express, which only carries bytes: no middleware, no body parser, no order to get
 *  wrong. */
import { Problem } from '../core/problem.ts'
import { createAnswer } from './reply/answer.ts'
import type { AnswerDependencies, Answering } from './reply/answer.ts'
import type { Cors } from './cors.ts'
import type { DocsHandlers } from './docs.ts'
import { createExpress } from './express.ts'
import type { Express, NextFunction, Request, Response } from './express.ts'
import type { Handle, Route } from './route.ts'

export interface AppDependencies extends AnswerDependencies {
  readonly routes: readonly Route[]
  /** Addresses and networks whose X-Forwarded-For is read. */
  readonly trustedProxies: readonly string[]
  /** Null unless DOCS_ENABLED. */
  readonly docs: DocsHandlers | null
}

export function createApp(dependencies: AppDependencies): Express {
  const app = createExpress()
  app.disable('x-powered-by')
  app.disable('etag')
  app.set('query parser', 'simple')
  // One resource has one spelling.
  app.enable('case sensitive routing')
  app.enable('strict routing')
  app.set('trust proxy', dependencies.trustedProxies)

  const paths = Map.groupBy(dependencies.routes, (route) => route.path)
  for (const [path, routes] of paths) {
    for (const { method, operation, handle, surface } of routes) {
      const isIngest = surface === 'ingest'
      const answering = { operation: operation.operation_id, handle, isIngest }
      app[method](path, createAnswer(dependencies, answering))
    }
    const allowed = routes.map(({ method }) => method.toUpperCase()).join(', ')
    app.options(path, createAnswer(dependencies, createPreflight(dependencies.cors, allowed)))
    app.all(path, createRefusal(dependencies, wrongMethod(allowed)))
  }
  serveDocs(app, dependencies)
  app.use(createRefusal(dependencies, wrongRoute))
  app.use(createRefuseError(dependencies))
  return app
}

/** Asked by a browser on behalf of a script; to anybody else OPTIONS is one method too many. */
function createPreflight(cors: Cors, allowed: string): Answering {
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
  return createAnswer(dependencies, { operation: 'unknown', handle })
}

/**
 * What Express itself refuses, such as a path with a broken escape. Its own answer would be a page
 * with a stack, so it never gets to give one; by four parameters it knows an error handler.
 */
function createRefuseError(dependencies: AppDependencies) {
  const refuse = createRefusal(dependencies, wrongPath)
  const { door, logger } = dependencies

  // eslint-disable-next-line max-params -- Express tells an error handler by its four parameters
  return function refuseError(
    error: unknown,
    request: Request,
    response: Response,
    _next: NextFunction
  ): Promise<void> {
    if (error instanceof URIError || statusOf(error) === 400) return refuse(request, response)
    // An answer that broke: nothing can be said any more, and the request is over.
    logger.error({ error }, 'an answer failed unexpectedly')
    door.admission.leave()
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
  app.get('/docs', createAnswer(dependencies, { operation, handle: page }))
  app.get('/docs/:file', createAnswer(dependencies, { operation, handle: asset }))
  app.get('/openapi.json', createAnswer(dependencies, { operation, handle: document }))
}

function wrongMethod(allowed: string) {
  const detail = `This path takes ${allowed}.`
  return () => new Problem('method_not_allowed', { detail, headers: { allow: allowed } })
}

function wrongPath(): Problem {
  return new Problem('malformed_request', { detail: 'The path is not a valid URL path.' })
}

function wrongRoute(): Problem {
  return new Problem('route_not_found', { detail: 'Nothing is served under this path.' })
}
