/** Network checks: the host name, port and TLS certificate of the gateway. */
import { lookup } from 'node:dns/promises'
import { connect, isIP } from 'node:net'
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { connect as connectSecurely } from 'node:tls'
import type { TLSSocket } from 'node:tls'
import { reasonOf } from './send-request.ts'
import { failed, ok } from './finding.ts'
import type { Finding } from './finding.ts'

/** Checks that the host name resolves. */
export async function checkDns(url: URL): Promise<Finding> {
  try {
    const found = await lookup(hostOf(url), { all: true })
    return ok('dns', `${hostOf(url)} resolves to ${found.map(({ address }) => address).join(', ')}`)
  } catch (error) {
    return failed(
      'dns',
      `${hostOf(url)} cannot be resolved: ${reasonOf(error)}`,
      'Check the spelling of SLUICE_BASE_URL. If it is correct, check your DNS or VPN.'
    )
  }
}

/** Checks that the port accepts connections and, for https, that the certificate is trusted. */
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
      `cannot connect to ${host}:${port}: ${reasonOf(error)}`,
      'Check the port in SLUICE_BASE_URL, that the gateway is running, and your firewall.'
    )
  }
  if (!isSecure) return ok('connection', `connected to ${host}:${port} in ${passed()}, without TLS`)
  try {
    const secured = connectSecurely({ host, port, ...(isIP(host) === 0 && { servername: host }) })
    await connected(secured, 'secureConnect', timeoutMs)
    const detail = `connected to ${host}:${port} in ${passed()}, ${describe(secured)}`
    secured.destroy()
    return ok('connection', detail)
  } catch (error) {
    return failed(
      'connection',
      `the TLS handshake with ${host}:${port} failed: ${reasonOf(error)}`,
      'If the gateway does not use TLS, set SLUICE_BASE_URL to http://. For a private ' +
        'certificate authority, set NODE_EXTRA_CA_CERTS.'
    )
  }
}

/** Returns the host name without the brackets that URLs put around IPv6 addresses. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

async function connected(socket: Socket, event: string, timeoutMs: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      socket.setTimeout(timeoutMs, () => reject(new Error(`no response within ${timeoutMs} ms`)))
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
  const protocol = socket.getProtocol() ?? 'TLS'
  return until === '' ? protocol : `${protocol}, certificate valid until ${until}`
}
