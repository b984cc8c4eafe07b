/** A balancer of connections, as a Service of Kubernetes is one: a connection keeps its gateway. */
import { connect, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { onEnd } from '../cleanup.ts'
import type { StartBalancer } from './balancer.ts'
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    sockets.forEach((socket) => socket.destroy())
    await Promise.all([closed, readiness.close()])
  }
  onEnd(close)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failures: () => failures,
    close
  }
}

/** Passes on bytes, ends and resets, each way. */
function join(near: Socket, far: Socket, tell: (error: NodeJS.ErrnoException) => void): void {
  far.on('error', (error) => {
    tell(error)
    near.resetAndDestroy()
  })
  near.on('error', () => far.destroy())
  near.on('close', () => far.destroy())
  near.pipe(far)
  far.pipe(near)
}
