/** Lets a test freeze a service of the stack, which only the runner, who started it, can do. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SERVICE_NAMES } from '../../../stack/services.ts'
import type { Services } from '../../../stack/services.ts'

export type ControlServer = { url: string; close(): Promise<void> }

type Pausable = Pick<Services, 'pause' | 'resume'>

/** Answers `POST /<service>/pause` and `POST /<service>/resume` on the loopback address. */
export async function startControlServer(services: Pausable): Promise<ControlServer> {
  const server = createServer((request, response) => {
    // A kept connection would look like something the test forgot to close.
    response.setHeader('connection', 'close')
    control(services, request.url ?? '/').then(
      () => response.writeHead(204).end(),
      (error: unknown) => response.writeHead(500).end(String(error))
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

async function control(services: Pausable, url: string): Promise<void> {
  const [, service, verb] = url.split('/')
  const name = SERVICE_NAMES.find((candidate) => candidate === service)
  if (name === undefined) throw new Error(`there is no service ${service ?? ''}`)
  if (verb === 'pause') return await services.pause(name)
  if (verb === 'resume') return await services.resume(name)
  throw new Error(`a service can be paused and resumed, not ${verb ?? ''}`)
}
