/** A login and an API key that work: the ones kept from the last run, else new ones. */
import { describeAnswer } from './api-client.ts'
import type { ApiClient } from './api-client.ts'
import type { LocalFile } from '../local-file.ts'

export const ORGANIZATION = 'Acme Agents'
export const EMAIL = 'you@sluice.local'

/** High enough that a load test on this machine meets the gateway and not the limit. */
const RATE_LIMIT = 1_000_000_000

export type Credentials = Pick<LocalFile, 'api_key' | 'email' | 'password' | 'organization_id'>

/** An empty decision is invalid, so the answer tells about the key and nothing is recorded. */
async function stillWork(kept: Credentials, api: ApiClient): Promise<boolean> {
  if (!kept.api_key || !kept.email || !kept.password) return false
  const login = await api.login(kept.email, kept.password)
  if (login.status !== 200) return false
  const probe = await api.ingest(kept.api_key, {})
  return probe.status === 422
}

/** What `sluice bootstrap --json` prints. */
export function parseBootstrap(output: string): { organization_id: string; api_key: string } {
  const value = JSON.parse(output.slice(output.indexOf('{'))) as Record<string, unknown>
  const { organization_id: organizationId, api_key: apiKey } = value
  if (typeof organizationId !== 'string' || typeof apiKey !== 'string') {
    throw new Error('sluice bootstrap printed neither organization_id nor api_key')
  }
  return { organization_id: organizationId, api_key: apiKey }
}

export type CredentialsDeps = {
  api: ApiClient
  kept: Credentials | null
  password: string
  /** Runs `sluice` with these arguments and resolves with its output. */
  sluice: (args: string[]) => Promise<string>
}

export async function obtainCredentials(
  deps: CredentialsDeps
): Promise<Credentials & { isNew: boolean }> {
  const { api, kept, password, sluice } = deps
  if (kept !== null && (await stillWork(kept, api))) return { ...kept, isNew: false }
  const names = ['--organization', ORGANIZATION, '--email', EMAIL, '--password', password]
  const limit = ['--key-env', 'local', '--rate-limit', String(RATE_LIMIT)]
  const made = parseBootstrap(
    await sluice(['bootstrap', ...names, ...limit, '--add-key', '--json'])
  )
  const login = await api.login(EMAIL, password)
  if (login.status !== 200) {
    const hint = 'start again with --reset to begin with a new login'
    throw new Error(`The login ${EMAIL} does not work (${describeAnswer(login)}): ${hint}`)
  }
  return { ...made, email: EMAIL, password, isNew: true }
}
