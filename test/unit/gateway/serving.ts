/** Routes served on a real port of this machine, and raw conversations with it. */
import { createServer } from 'node:http'
import type { RequestListener, Server } from 'node:http'
import { connect } from 'node:net'
import type { AddressInfo } from 'node:net'
import { createApp } from '../../../gateway/app.ts'
import type { AppDependencies } from '../../../gateway/app.ts'
import type { Handle, Route } from '../../../gateway/route.ts'
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
  close(): Promise<void>
}

type Overrides = Partial<Pick<AppDependencies, 'docs' | 'isStopping' | 'reportRefusal'>> & {
  serverOf?: (listener: RequestListener) => Server
}

function plainServer(listener: RequestListener): Server {
  return createServer(listener)
}

export async function serve(routes: readonly Route[], overrides: Overrides = {}): Promise<Served> {
  const metrics = new RecordingMetrics()
  const logger = new RecordingLogger()
  const { docs = null, isStopping = () => false, serverOf = plainServer } = overrides
  const { reportRefusal = () => {} } = overrides
  const clock = { now: () => noon }
  const app = createApp({ routes, docs, metrics, logger, clock, isStopping, reportRefusal })
  const server = serverOf(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    ...{ url: `http://127.0.0.1:${port}`, port, metrics, logger },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}

/** Sends bytes and returns all that comes back until the server ends the connection. */
export function converse(port: number, bytes: string | Buffer): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.on('error', () => {})
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('latin1')))
  })
}
