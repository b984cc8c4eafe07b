/** Management port: serves liveness, readiness and metrics, separate from API traffic. */
import { createServer } from 'node:http'
import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Logger } from './logger.ts'
import type { ProcessMetrics } from './metrics.ts'

export interface Readiness {
  /** Returns the names of components that are not ready; empty if ready. */
  (): readonly string[]
}

interface ManagementOptions {
  readonly host: string
  readonly port: number
  readonly metrics: Pick<ProcessMetrics, 'expose'>
  readonly notReady: Readiness
  readonly logger: Logger
}

export interface Management {
  readonly port: number
  close(): Promise<void>
}

const requestTimeoutMs = 5000

export async function startManagement(options: ManagementOptions): Promise<Management> {
  const server = createServer({ requestTimeout: requestTimeoutMs }, (request, response) => {
    const url = request.url ?? '/'
    answer(url, response, options).catch((error: unknown) => {
      options.logger.error({ error, url }, 'management request failed')
      if (!response.headersSent) write(response, 500, { status: 'failed' })
    })
  })
  await listen(server, { ...options, setting: 'MANAGEMENT_PORT' })
  return {
    port: (server.address() as AddressInfo).port,
    close: () => close(server)
  }
}

async function answer(url: string, response: ServerResponse, options: ManagementOptions) {
  if (url === '/livez') return write(response, 200, { status: 'alive' })
  if (url === '/metrics') {
    const { contentType, text } = await options.metrics.expose()
    response.writeHead(200, { 'content-type': contentType }).end(text)
    return
  }
  if (url !== '/readyz') return write(response, 404, { status: 'not found' })
  const missing = options.notReady()
  const isReady = missing.length === 0
  write(response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'not ready', missing })
}

function write(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

interface ListenOptions {
  readonly host: string
  readonly port: number
  /** Name of the setting for the port, quoted in errors. */
  readonly setting: string
  readonly backlog?: number
}

/**
 * Resolves when the server is listening. If the port is in use, the error names the setting to
 * change.
 */
export async function listen(server: Server, options: ListenOptions): Promise<void> {
  const { host, port, setting, backlog } = options
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const refuse = (cause: NodeJS.ErrnoException): void => {
    const isTaken = cause.code === 'EADDRINUSE'
    reject(
      isTaken
        ? new Error(`port ${port} is in use; set ${setting} to another port`, { cause })
        : cause
    )
  }
  server.once('error', refuse)
  server.listen(port, host, backlog, resolve)
  await promise
  server.off('error', refuse)
}

/**
 * Interval at which idle connections are closed. A connection that has sent no request within this
 * time will probably never send one.
 */
const idleGraceMs = 250

/**
 * Stops accepting connections and resolves when all have ended. Node's own `close` would cut
 * connections whose first request is still arriving, so idle connections are closed only after a
 * delay.
 */
export async function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  NetServer.prototype.close.call(server, () => resolve())
  const timer = setInterval(() => server.closeIdleConnections(), idleGraceMs)
  await promise
  clearInterval(timer)
}
