/** An API key as a caller describes it, checked and filled in. */
import type { ApiKeyScope } from '../../../core/ids/api-key.ts'
import { invalidBody } from '../../configuration/refusals.ts'
import { readTimeRange } from '../../time-range.ts'

/** The body of POST; that of PATCH has some of it, and no environment. */
export interface ApiKeyBody {
  readonly name: string
  readonly environment?: string
  readonly scopes?: readonly ApiKeyScope[]
  readonly expires_at?: string | null
  readonly rate_limit_points?: number | null
}

export interface ApiKeyDraft {
  readonly name: string
  readonly scopes: readonly ApiKeyScope[]
  readonly expires_at: Date | null
  readonly rate_limit_points: number | null
}

export const environmentDefault = 'live'
export const scopesDefault: readonly ApiKeyScope[] = Object.freeze(['ingest'] as const)

/**
 * @param before the key that is changed; null for a new one
 * @throws {Problem} 422
 */
export function apiKeyDraftOf(
  body: Partial<ApiKeyBody>,
  before: ApiKeyDraft | null,
  now: number
): ApiKeyDraft {
  const stored = before ?? { scopes: scopesDefault, expires_at: null, rate_limit_points: null }
  const { name = '', scopes, rate_limit_points } = { ...stored, ...body }
  const expires_at = expiryOf(body.expires_at, now)
  return {
    name,
    scopes: [...new Set(scopes)],
    expires_at: expires_at === undefined ? stored.expires_at : expires_at,
    rate_limit_points
  }
}

/** @returns undefined when nothing is said. @throws {Problem} 422 */
export function expiryOf(text: string | null | undefined, now: number): Date | null | undefined {
  if (text === null || text === undefined) return text
  const read = readTimeRange({ from: text }, now)
  if (read.kind === 'wrong') {
    throw invalidBody(read.errors.map((error) => ({ ...error, pointer: '/expires_at' })))
  }
  const time = read.range.from
  if (time.getTime() > now) return time
  throw invalidBody([{ pointer: '/expires_at', detail: 'must be in the future' }])
}
