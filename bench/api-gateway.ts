/** A gateway that people read from, and a session at it. */
import { freePort } from '../stack/ports.ts'
import { benchLogin } from './open-bench.ts'
import type { Bench } from './row.ts'

/** @returns its address. */
export async function startApiGateway({ run, nodeFlags, environment }: Bench): Promise<string> {
  const [port, managementPort] = [await freePort(), await freePort()]
  await run({
    name: 'gateway-api',
    args: [...nodeFlags, 'gateway/main.ts'],
    environment: {
      ...environment,
      ...{ GATEWAY_ROUTES: 'api', GATEWAY_HOST: '127.0.0.1', GATEWAY_PORT: String(port) },
      ...{ MANAGEMENT_HOST: '127.0.0.1', MANAGEMENT_PORT: String(managementPort) }
    },
    probe: async () => (await fetch(`http://127.0.0.1:${managementPort}/readyz`)).ok
  })
  return `http://127.0.0.1:${port}`
}

/** @returns an access token of the owner. */
export async function logIn(url: string): Promise<string> {
  const response = await askLogin(url, benchLogin)
  const { access_token } = (await response.json()) as { access_token?: string }
  if (access_token === undefined) throw new Error(`The login was answered ${response.status}.`)
  return access_token
}

export function askLogin(url: string, login: typeof benchLogin): Promise<Response> {
  return fetch(`${url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(login)
  })
}
