/** Keys and the table they are in, with a switch that takes it away. */
import { createApiKey, secretDigestOf } from '../../../../core/api-key.ts'
import type { Queryable, Row } from '../../../../platform/postgres.ts'
import { noon } from '../../../support/builders.ts'

export const pepper = 'p'.repeat(32)
export const organizationId = '01938c4e-2222-7000-8000-5b7a9f002f6d'

export interface KeyRow extends Row {
  secret_digest: Buffer
  scopes: string[]
  expires_at: Date | null
  revoked_at: Date | null
  organization_id: string
  rate_limit_points: number | null
  key_rate_limit_points: number | null
}

/** A key and the row it would have. */
export function aKey(overrides: Partial<KeyRow> = {}) {
  const { api_key, key_id, secret } = createApiKey('test')
  const row: KeyRow = {
    secret_digest: secretDigestOf(pepper, secret),
    scopes: ['ingest'],
    expires_at: null,
    revoked_at: null,
    organization_id: organizationId,
    rate_limit_points: null,
    key_rate_limit_points: null,
    ...overrides
  }
  return { api_key, key_id, row }
}

export class FakeKeyTable implements Queryable {
  readonly rows = new Map<string, KeyRow>()
  queries = 0
  failure: Error | null = null
  /** While set, an answer waits for it; what it says was read before. */
  gate: Promise<void> | null = null

  async query<R extends Row>(_statement: string, values: readonly unknown[] = []): Promise<R[]> {
    this.queries += 1
    if (this.failure !== null) throw this.failure
    const row = this.rows.get(String(values[0]))
    const found = row === undefined ? [] : [{ ...row } as unknown as R]
    await this.gate
    return found
  }
}

export class FakeClock {
  time = noon

  now(): number {
    return this.time
  }

  advance(ms: number): void {
    this.time += ms
  }
}
