/** Runs TLS proxies in front of services that do not support TLS. */
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { createServer as createHttpsServer } from 'node:https'
import { request } from 'node:http'
import type { Issued } from './certificates.ts'
import { onEnd } from './cleanup.ts'

/**
 * Starts a TLS proxy for the Redis at `target`.
 * @returns the URL of the proxy, with the credentials of `target`
 */
export async function startRedisFront(target: string, issued: Issued): Promise<URL> {
  const url = new URL(target)
  const { hostname, port } = url
  const server = createTlsServer(issued, (client) => {
    const service = connect(Number(port), hostname)
    const cut = (): void => [client, service].forEach((socket) => socket.destroy())
    for (const socket of [client, service]) socket.on('error', cut).on('close', cut)
    client.pipe(service).pipe(client)
  })
  url.protocol = 'rediss:'
  url.hostname = '127.0.0.1'
  url.port = String(await listen(server))
  return url
}

export interface HttpsFront {
  /** HTTPS URL of the proxy, without credentials. */
  readonly url: string
  /** Returns the number of requests rejected because of missing or wrong credentials. */
  refused(): number
}

/**
 * Starts an HTTPS proxy for `target` that requires basic authentication. `login` has the form
 * `user:password`.
 */
export async function startHttpsFront(
  target: string,
  issued: Issued,
  login: string
): Promise<HttpsFront> {
  const { hostname, port, pathname } = new URL(target)
  const expected = `Basic ${Buffer.from(login).toString('base64')}`
  let refused = 0
  const server = createHttpsServer(issued, (incoming, answer) => {
    if (incoming.headers.authorization !== expected) {
      refused += 1
      answer.writeHead(401, { 'content-type': 'application/json' })
      answer.end('{"error_code":401,"message":"Unauthorized"}')
      return
    }
    const { method, headers, url: path } = incoming
    const outgoing = request({ hostname, port, method, headers, path }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    outgoing.on('error', () => answer.destroy())
    incoming.pipe(outgoing)
  })
  const own = await listen(server)
  return { url: `https://127.0.0.1:${own}${pathname}`, refused: () => refused }
}

type Listening = Pick<ReturnType<typeof createTlsServer>, 'listen' | 'address' | 'close' | 'on'>

async function listen(server: Listening): Promise<number> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => void sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onEnd(async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
  })
  return (server.address() as AddressInfo).port
}
