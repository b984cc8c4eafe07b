/** The management port: liveness, readiness and metrics, apart from the traffic. */
import { createServer } from 'node:http'
import type { Server, ServerResponse } from 'node:http'
import { Server as NetServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Logger } from './logger.ts'
import type { ProcessMetrics } from './metrics.ts'

export interface Readiness {
  /** Names of what is not ready; an empty list means ready. */
  (): readonly string[]
}

export interface ManagementOptions {
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
      options.logger.error({ error, url }, 'the management port could not answer')
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
  if (url !== '/readyz') return write(response, 404, { status: 'no such page' })
  const missing = options.notReady()
  const isReady = missing.length === 0
  write(response, isReady ? 200 : 503, { status: isReady ? 'ready' : 'not ready', missing })
}

function write(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

export interface ListenOptions {
  readonly host: string
  readonly port: number
  /** The setting that chooses the port. */
  readonly setting: string
  readonly backlog?: number
}

/** Resolves when the server listens; a port in use rejects with the setting that moves it. */
export async function listen(server: Server, options: ListenOptions): Promise<void> {
  const { host, port, setting, backlog } = options
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const refuse = (cause: NodeJS.ErrnoException): void => {
    const isTaken = cause.code === 'EADDRINUSE'
    reject(
      isTaken ? new Error(`port ${port} is in use; ${setting} names another`, { cause }) : cause
    )
  }
  server.once('error', refuse)
  server.listen(port, host, backlog, resolve)
  await promise
  server.off('error', refuse)
}

/** So long after the last connection was accepted, one without a request will get none. */
const idleGraceMs = 250

/**
 * Stops accepting, and resolves when every connection has ended. Node's own close would cut
 * connections whose first request is still on its way, so idle ones are given a moment.
 */
export async function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  NetServer.prototype.close.call(server, () => resolve())
  const timer = setInterval(() => server.closeIdleConnections(), idleGraceMs)
  await promise
  clearInterval(timer)
}
