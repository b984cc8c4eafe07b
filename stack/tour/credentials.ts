/** Obtains working credentials: reuses the credentials of the last run if they still work,
 * otherwise creates new ones.
 */
import { describeResponse } from './api-client.ts'
import type { ApiClient } from './api-client.ts'
import type { LocalFile } from '../local-file.ts'

const ORGANIZATION = 'Acme Agents'
export const EMAIL = 'you@sluice.local'

/** Rate limit of the key, high enough for load tests. */
const RATE_LIMIT = 1_000_000_000

export type Credentials = Pick<LocalFile, 'api_key' | 'email' | 'password' | 'organization_id'>

/**
 * Checks whether the credentials still work. Sends an empty decision with the API key: the response
 * shows whether the key is valid, and nothing is stored.
 */
async function stillWork(kept: Credentials, api: ApiClient): Promise<boolean> {
  if (!kept.api_key || !kept.email || !kept.password) return false
  const login = await api.login(kept.email, kept.password)
  if (login.status !== 200) return false
  const probe = await api.ingest(kept.api_key, {})
  return probe.status === 422
}

/** Parses the output of `sluice bootstrap --json`. */
export function parseBootstrap(output: string): { organization_id: string; api_key: string } {
  const value = JSON.parse(output.slice(output.indexOf('{'))) as Record<string, unknown>
  const { organization_id: organizationId, api_key: apiKey } = value
  if (typeof organizationId !== 'string' || typeof apiKey !== 'string') {
    throw new Error('sluice bootstrap printed neither organization_id nor api_key')
  }
  return { organization_id: organizationId, api_key: apiKey }
}

type CredentialsDeps = {
  api: ApiClient
  kept: Credentials | null
  password: string
  /** Runs `sluice` with these arguments, and resolves with its output. */
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
    const hint = 'start with --reset to create a new user'
    throw new Error(`The user ${EMAIL} cannot log in (${describeResponse(login)}): ${hint}`)
  }
  return { ...made, email: EMAIL, password, isNew: true }
}
