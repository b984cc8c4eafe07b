/** TLS in front of a service that has none: what it says inside passes unchanged. */
import { connect } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { createServer as createHttpsServer } from 'node:https'
import { request } from 'node:http'
import type { Issued } from './certificates.ts'
import { onEnd } from './cleanup.ts'

/** Takes connections for Redis at `target`. @returns the URL of the front, with the same login. */
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
  /** Of the target, with https and without the login. */
  readonly url: string
  /** How many requests had no or a wrong login. */
  refused(): number
}

/** Takes requests for `target` whose basic login is `login`, `user:password`. */
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
