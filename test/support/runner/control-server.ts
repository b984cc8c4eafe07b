/** Lets a test freeze or end a service of the stack, which only the runner, its owner, can do. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SERVICE_NAMES } from '../../../stack/services.ts'
import type { Services } from '../../../stack/services.ts'

export type ControlServer = { url: string; close(): Promise<void> }

const verbs = ['pause', 'resume', 'kill', 'revive'] as const
type Controlled = Pick<Services, (typeof verbs)[number]>

/**
 * Answers `POST /<token>/<service>/<verb>` on the loopback address, with the verbs of `Services`.
 * The token keeps out the other users of the machine.
 */
export async function startControlServer(services: Controlled): Promise<ControlServer> {
  const token = randomUUID()
  const server = createServer((request, response) => {
    // A kept connection would look like something the test forgot to close.
    response.setHeader('connection', 'close')
    const [, given, ...rest] = (request.url ?? '').split('/')
    if (given !== token) return void response.writeHead(403).end()
    control(services, rest).then(
      () => response.writeHead(204).end(),
      (error: unknown) => response.writeHead(500).end(String(error))
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/${token}`,
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
}

async function control(services: Controlled, [service, word]: string[]): Promise<void> {
  const name = SERVICE_NAMES.find((candidate) => candidate === service)
  if (name === undefined) throw new Error(`there is no service ${service ?? ''}`)
  const verb = verbs.find((candidate) => candidate === word)
  if (verb === undefined) throw new Error(`a service knows ${verbs.join(', ')}, not ${word ?? ''}`)
  await services[verb](name)
}
