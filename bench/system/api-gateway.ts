/** A gateway that people read from, and a session at it. */
import { benchLogin } from '../open-bench.ts'
import type { Bench } from '../row.ts'
import { startGateway } from '../rows/gateway.ts'

/** @returns its address. */
export async function startApiGateway(bench: Bench): Promise<string> {
  const environment = { GATEWAY_ROUTES: 'api' }
  return (await startGateway(bench, { name: 'gateway-api', path: '', environment })).url
}

/** @returns an access token of the owner. */
export async function logIn(url: string, login = benchLogin): Promise<string> {
  const response = await askLogin(url, login)
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
