/** Load balancer that forwards HTTP requests like a reverse proxy, with keep-alive and without
 * retries.
 */
import { Agent, createServer, request as send } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream'
import type { StartBalancer } from './balancer.ts'
import { openBalancer } from './open-balancer.ts'
import { watchReadiness } from './watch-readiness.ts'

/** Keep-alive timeout. It must be shorter than the gateway's 75 seconds. */
const keepAliveMs = 30_000
/** Hop-by-hop headers, which a proxy must not forward. */
const hopByHop = new Set(['connection', 'keep-alive'])

export const startHttpBalancer: StartBalancer = async (gateways) => {
  const failures: string[] = []
  const readiness = await watchReadiness(gateways)
  const agent = new Agent({ keepAlive: true, timeout: keepAliveMs })
  const server = createServer({ keepAliveTimeout: 2 * keepAliveMs }, (request, response) => {
    const port = readiness.pick()
    if (port === null) return fail(response, failures, 'no gateway is ready')
    forward(request, response, { agent, port, failures })
  })
  const cut = (): void => {
    server.closeAllConnections()
    agent.destroy()
  }
  return openBalancer({ server, readiness, failures, cut })
}

interface Hop {
  readonly agent: Agent
  readonly port: number
  readonly failures: string[]
}

function forward(request: IncomingMessage, response: ServerResponse, hop: Hop): void {
  const { agent, port, failures } = hop
  const { method, url, headers } = request
  const options = { agent, port, host: '127.0.0.1', method, path: url, headers: own(headers) }
  const sent = send(options, (answer) => {
    response.writeHead(answer.statusCode ?? 502, own(answer.headers))
    // Send the response head immediately, because a stream can stay silent for a long time.
    response.flushHeaders()
    pipeline(answer, response, (error) => {
      if (error && !request.socket.destroyed) failures.push(`a response was cut: ${error.message}`)
    })
  })
  sent.on('error', (error: NodeJS.ErrnoException) => {
    if (response.destroyed) return
    const isKept = sent.reusedSocket ? 'a kept' : 'a new'
    fail(response, failures, `${error.code ?? error.message} on ${isKept} connection to ${port}`)
  })
  response.on('close', () => sent.destroy())
  request.pipe(sent)
}

function fail(response: ServerResponse, failures: string[], sentence: string): void {
  failures.push(sentence)
  if (response.headersSent) response.destroy()
  else response.writeHead(502, { 'content-type': 'text/plain' }).end(sentence)
}

function own<T extends object>(headers: T): T {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name))) as T
}
