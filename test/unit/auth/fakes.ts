/** Provides API keys, a clock, and a fake table that tests can make unavailable. */
import { createApiKey, secretDigestOf } from '../../../core/ids/api-key.ts'
import type { Queryable, Row } from '../../../platform/postgres/postgres.ts'
import { noon } from '../../support/builders.ts'

export const pepper = 'p'.repeat(32)
export const organizationId = '01938c4e-2222-7000-8000-5b7a9f002f6d'

export interface KeyRow extends Row {
  key_id: string
  secret_digest: Buffer
  scopes: string[]
  expires_at: Date | null
  revoked_at: Date | null
  organization_id: string
  rate_limit_points: number | null
  key_rate_limit_points: number | null
}

/** Creates an API key and its row. */
export function aKey(overrides: Partial<KeyRow> = {}) {
  const { api_key, key_id, secret } = createApiKey('test')
  const row: KeyRow = {
    key_id,
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
  /** The key ids of each query. */
  readonly queried: (readonly string[])[] = []
  failure: Error | null = null
  /** While set, queries wait for this promise after reading the rows. */
  gate: Promise<void> | null = null

  get queries(): number {
    return this.queried.length
  }

  async query<R extends Row>(_statement: string, values: readonly unknown[] = []): Promise<R[]> {
    const keyIds = values[0] as readonly string[]
    this.queried.push(keyIds)
    if (this.failure !== null) throw this.failure
    const found = keyIds.flatMap((keyId) => this.rows.get(keyId) ?? [])
    const copies = found.map((row) => ({ ...row }) as unknown as R)
    await this.gate
    return copies
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
