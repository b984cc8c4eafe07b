/** Load balancer that forwards TCP connections like a Kubernetes Service. */
import { connect, createServer } from 'node:net'
import type { Socket } from 'node:net'
import type { StartBalancer } from './balancer.ts'
import { openBalancer } from './open-balancer.ts'
import { watchReadiness } from './watch-readiness.ts'

export const startTcpBalancer: StartBalancer = async (gateways) => {
  const failures: string[] = []
  const sockets = new Set<Socket>()
  const readiness = await watchReadiness(gateways)
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (near) => {
    const port = readiness.pick()
    if (port === null) {
      failures.push('no gateway is ready')
      near.destroy()
      return
    }
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
    join(near, far, (error) => failures.push(`${error.code ?? error.message} from ${port}`))
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('close', () => sockets.delete(socket))
    }
  })
  const cut = (): void => sockets.forEach((socket) => socket.destroy())
  return openBalancer({ server, readiness, failures, cut })
}

/**
 * Forwards data and half-closes in both directions. Resets the client's connection if the
 * connection to the gateway fails.
 */
function join(near: Socket, far: Socket, onError: (error: NodeJS.ErrnoException) => void): void {
  far.on('error', (error) => {
    onError(error)
    near.resetAndDestroy()
  })
  near.on('error', () => far.destroy())
  near.on('close', () => far.destroy())
  near.pipe(far)
  far.pipe(near)
}
