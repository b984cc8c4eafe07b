/** Checks of the way to the gateway: its name, its port, its certificate. */
import { lookup } from 'node:dns/promises'
import { connect, isIP } from 'node:net'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { connect as connectSecurely } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { reasonOf } from './ask.ts'
import { failed, ok } from './finding.ts'
import type { Finding } from './finding.ts'

/** Whether the host has an address. */
export async function checkDns(url: URL): Promise<Finding> {
  try {
    const found = await lookup(hostOf(url), { all: true })
    return ok('dns', `${hostOf(url)} is ${found.map(({ address }) => address).join(', ')}`)
  } catch (error) {
    return failed(
      'dns',
      `${hostOf(url)} has no address: ${reasonOf(error)}`,
      'Look at SLUICE_BASE_URL for a typing error; else ask who runs your DNS, or VPN.'
    )
  }
}

/** Whether the port answers, and for https whether the certificate can be trusted. */
export async function checkConnection(url: URL, timeoutMs: number): Promise<Finding> {
  const host = hostOf(url)
  const isSecure = url.protocol === 'https:'
  const port = Number(url.port) || (isSecure ? 443 : 80)
  const startedAt = performance.now()
  const passed = (): string => `${Math.round(performance.now() - startedAt)} ms`
  try {
    const plain = connect({ host, port })
    await connected(plain, 'connect', timeoutMs)
    plain.destroy()
  } catch (error) {
    return failed(
      'connection',
      `${host}:${port} cannot be reached: ${reasonOf(error)}`,
      'Look at the port of SLUICE_BASE_URL, whether the gateway runs, and for a firewall.'
    )
  }
  if (!isSecure) return ok('connection', `${host}:${port} answers in ${passed()}, without TLS`)
  try {
    const secured = connectSecurely({ host, port, ...(isIP(host) === 0 && { servername: host }) })
    await connected(secured, 'secureConnect', timeoutMs)
    const detail = `${host}:${port} answers in ${passed()}, ${describe(secured)}`
    secured.destroy()
    return ok('connection', detail)
  } catch (error) {
    return failed(
      'connection',
      `${host}:${port} answers, but not with TLS that can be trusted: ${reasonOf(error)}`,
      'A gateway without TLS has http:// in SLUICE_BASE_URL; for a certificate of your own ' +
        'authority set NODE_EXTRA_CA_CERTS.'
    )
  }
}

/** IPv6 addresses stand in brackets in URLs, and nowhere else. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

async function connected(socket: Socket, event: string, timeoutMs: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      socket.setTimeout(timeoutMs, () => reject(new Error(`no answer within ${timeoutMs} ms`)))
      socket.once('error', reject).once(event, () => resolve())
    })
  } catch (error) {
    socket.destroy()
    throw error
  }
}

function describe(socket: TLSSocket): string {
  const ends = Date.parse(socket.getPeerCertificate().valid_to)
  const until = Number.isNaN(ends) ? '' : new Date(ends).toISOString().slice(0, 10)
  return `${socket.getProtocol() ?? 'TLS'}${until === '' ? '' : `, certificate until ${until}`}`
}
