/** Runs HAProxy as the load balancer, if it is installed. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../../stack/ports.ts'
import type { Ports } from '../application.ts'
import { onEnd } from '../cleanup.ts'
import { isAvailable } from '../run-to-end.ts'
import { waitUntil } from '../wait-until.ts'
import { checkFalls, checkMs } from './balancer.ts'
import type { StartBalancer } from './balancer.ts'

export function hasHaproxy(): boolean {
  return isAvailable('haproxy', '-v')
}

export const startHaproxy: StartBalancer = async (gateways) => {
  const port = await freePort()
  const folder = mkdtempSync(join(tmpdir(), 'sluice-haproxy-'))
  const file = join(folder, 'haproxy.cfg')
  writeFileSync(file, configurationOf(port, gateways))
  // Run HAProxy in the foreground as a single process, so that one signal ends it.
  const child = spawn('haproxy', ['-db', '-f', file], { stdio: ['ignore', 'pipe', 'pipe'] })
  const lines: string[] = []
  child.stderr.on('data', (chunk: Buffer) => lines.push(chunk.toString('utf8')))
  const exited = once(child, 'exit')
  const close = async (): Promise<void> => {
    child.kill('SIGKILL')
    await exited
    rmSync(folder, { recursive: true, force: true })
  }
  onEnd(close)
  const url = `http://127.0.0.1:${port}`
  const isUp = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(lines.join(''))
    return (await fetch(url)).status === 404
  }
  await waitUntil('HAProxy passes requests on', isUp)
  return { url, failures: () => [], close }
}

/**
 * Returns a configuration without retries or redispatching, so that clients see every gateway
 * failure.
 */
function configurationOf(port: number, gateways: readonly Ports[]): string {
  const servers = gateways.map(
    ([traffic, management]) =>
      `  server gateway-${traffic} 127.0.0.1:${traffic} check port ${management}`
  )
  return `
defaults
  mode http
  retries 0
  timeout connect 2s
  timeout check 2s
  timeout client 60s
  timeout server 60s
  timeout http-keep-alive 60s
listen sluice
  bind 127.0.0.1:${port}
  balance roundrobin
  option httpchk GET /readyz
  default-server inter ${checkMs}ms fall ${checkFalls} rise 1
${servers.join('\n')}
`
}
