/** The systems that are measured, in the order of the table; another one is another entry here. */
import { fork, spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { freePort } from '../stack/ports.ts'
import { waitUntil } from '../stack/wait-until.ts'
import type { Bench, Row, Target } from './row.ts'

const readyTimeoutMs = 30_000
const json = { 'content-type': 'application/json' }

const floor: Row = {
  name: 'node:http floor',
  accepted: 202,
  start: async () => {
    const child = fork(fileURLToPath(new URL('floor.ts', import.meta.url)), { execArgv: [] })
    const port = await new Promise((resolve) => child.once('message', resolve))
    return targetOf(child, `http://127.0.0.1:${String(port)}/v1/ingest`, json)
  }
}

/** `flags` are for Node, such as --cpu-prof. */
export function gatewayRow(name: string, flags: readonly string[] = []): Row {
  return {
    name,
    accepted: 202,
    start: async ({ environment, apiKey }: Bench) => {
      const [port, managementPort] = [await freePort(), await freePort()]
      const child = spawn(process.execPath, [...flags, 'gateway/main.ts'], {
        stdio: ['ignore', 'ignore', 'inherit'],
        env: {
          ...environment,
          GATEWAY_HOST: '127.0.0.1',
          GATEWAY_PORT: String(port),
          MANAGEMENT_HOST: '127.0.0.1',
          MANAGEMENT_PORT: String(managementPort)
        }
      })
      await waitUntil({
        what: 'the gateway is not ready',
        timeoutMs: readyTimeoutMs,
        probe: async () => (await fetch(`http://127.0.0.1:${managementPort}/readyz`)).ok
      })
      const headers = { ...json, authorization: `Bearer ${apiKey}` }
      return targetOf(child, `http://127.0.0.1:${port}/v1/ingest`, headers)
    }
  }
}

export const rows: readonly Row[] = [floor, gatewayRow('gateway, single')]

function targetOf(child: ChildProcess, url: string, headers: Record<string, string>): Target {
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  return {
    url,
    headers,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    }
  }
}
