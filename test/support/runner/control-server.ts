/** Serves an HTTP interface through which tests suspend, kill and restart services of the stack. */
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { SERVICE_NAMES } from '../../../stack/services.ts'
import type { StackServices } from '../../../stack/services.ts'

type ControlServer = { url: string; close(): Promise<void> }

const verbs = ['pause', 'resume', 'kill', 'revive'] as const
type Controlled = Pick<StackServices, (typeof verbs)[number]>

/**
 * Serves `POST /<token>/<service>/<method>` on the loopback address. The token keeps other users of
 * the machine out.
 */
export async function startControlServer(services: Controlled): Promise<ControlServer> {
  const token = randomUUID()
  const server = createServer((request, response) => {
    // Close the connection, because an idle one would count as a leak in the test process.
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
  if (verb === undefined)
    throw new Error(`unknown verb ${word ?? ''}; use one of ${verbs.join(', ')}`)
  await services[verb](name)
}
