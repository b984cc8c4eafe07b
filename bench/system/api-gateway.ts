/** Starts a gateway that serves only the API, and logs in to it. */
import { benchLogin } from '../open-bench.ts'
import type { Bench, BenchTarget } from '../row.ts'
import { startGateway } from '../rows/gateway.ts'

export function startApiGateway(bench: Bench): Promise<BenchTarget> {
  const environment = { GATEWAY_ROUTES: 'api' }
  return startGateway(bench, { name: 'gateway-api', path: '', environment })
}

/**
 * Logs in as the owner of an organization.
 * @returns an access token
 */
export async function logIn(url: string, login = benchLogin): Promise<string> {
  const response = await attemptLogin(url, login)
  const { access_token } = (await response.json()) as { access_token?: string }
  if (access_token === undefined) throw new Error(`The login got status ${response.status}.`)
  return access_token
}

export function attemptLogin(url: string, login: typeof benchLogin): Promise<Response> {
  return fetch(`${url}/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(login)
  })
}
