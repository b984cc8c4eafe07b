/** Serves routes on a local port and exchanges raw bytes with the server. */
import type { Server } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createApp } from '../../../http/app.ts'
import type { AppDependencies } from '../../../http/app.ts'
import { createCors } from '../../../http/cors.ts'
import { createHttpLimits } from '../../../http/admission/http-limits.ts'
import type { HttpLimits, HttpLimitsOptions } from '../../../http/admission/http-limits.ts'
import type { Handle, Route } from '../../../http/route.ts'
import { createGatewayServer } from '../../../http/server.ts'
import type { ServerLimits } from '../../../http/server.ts'
import { noon } from '../../support/builders.ts'
import { RecordingMetrics } from '../consumers/recording-metrics.ts'
import { RecordingLogger } from '../platform/recording-logger.ts'

export function aRoute(method: Route['method'], path: string, handle: Handle): Route {
  return {
    method,
    path,
    surface: 'api',
    credential: { kind: 'none' },
    operation: {
      operation_id: `${method}${path}`,
      tag: 'test',
      summary: '',
      description: '',
      response: {},
      problems: []
    },
    handle
  }
}

export interface Served {
  readonly url: string
  readonly port: number
  readonly metrics: RecordingMetrics
  readonly logger: RecordingLogger
  readonly httpLimits: HttpLimits
  readonly server: Server
  close(): Promise<void>
}

type Overrides = Partial<
  Pick<AppDependencies, 'console' | 'docs' | 'isLeaving' | 'reportRejection' | 'trustedProxies'> &
    Omit<HttpLimitsOptions, 'metrics'> &
    ServerLimits & { corsOrigins: readonly string[] }
>

const appDefault = {
  ...{ docs: null, console: null, isLeaving: () => false, reportRejection: () => {} },
  trustedProxies: []
}
const limitsDefault = { connectionsMax: 1000, headersTimeoutMs: 10_000, requestTimeoutMs: 30_000 }
const mebibyte = 1024 * 1024

export async function serve(routes: readonly Route[], overrides: Overrides = {}): Promise<Served> {
  const metrics = new RecordingMetrics()
  const logger = new RecordingLogger()
  const cors = createCors(overrides.corsOrigins ?? [])
  const { requestsMax = 1000, bodyBytesMax = 64 * mebibyte } = overrides
  const limits = { ...limitsDefault, ...overrides }
  const clock = { now: () => noon }
  const { responseTimeoutMs = 30_000, unreadBytesMax = 64 * mebibyte } = overrides
  const bytes = { bodyBytesMax, unreadBytesMax }
  const httpLimits = createHttpLimits({ requestsMax, responseTimeoutMs, metrics, ...bytes })
  const app = createApp({
    ...{ ...appDefault, ...overrides },
    ...{ routes, httpLimits, cors, metrics, logger, clock }
  })
  const server = createGatewayServer({ app, httpLimits, cors, metrics, clock, limits })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    ...{ url: `http://127.0.0.1:${port}`, port, metrics, logger, httpLimits, server },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

/** Time for the server to read one part before the next one is sent. */
const partPauseMs = 100

/** Sends bytes in parts and returns everything received until the server closes the connection. */
export function converse(port: number, ...parts: (string | Buffer)[]): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => {
      parts.forEach((part, index) => setTimeout(() => socket.write(part), index * partPauseMs))
    })
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', () => {})
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
  })
}
