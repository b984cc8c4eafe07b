/** Reads API keys and organizations from Postgres. */
import type { NewApiKey } from '../../store/insert-api-key.ts'
import type { Queryable, Row } from '../../platform/postgres/postgres.ts'

export interface KeyRow extends Row, Omit<NewApiKey, 'created_by'> {
  readonly key_id: string
  readonly organization: string
  readonly created_at: Date
  readonly revoked_at: Date | null
  readonly replaced_by: string | null
  readonly last_used_at: Date | null
}

const columns = `k.key_id, k.organization_id, o.name as organization, k.name, k.environment,
  k.scopes, k.rate_limit_points, k.created_at, k.expires_at, k.revoked_at, k.replaced_by,
  k.last_used_at`

/** Selects the keys of one organization, or of all organizations if `organizationId` is null. */
export function selectKeys(postgres: Queryable, organizationId: string | null): Promise<KeyRow[]> {
  return postgres.query<KeyRow>(
    `select ${columns} from api_keys k join organizations o using (organization_id)
      where $1::uuid is null or k.organization_id = $1
      order by o.name, k.created_at, k.key_id`,
    [organizationId]
  )
}

/**
 * Selects a key and locks it until the transaction ends.
 * @throws if the key does not exist
 */
export async function selectKey(transaction: Queryable, keyId: string): Promise<KeyRow> {
  const [row] = await transaction.query<KeyRow>(
    `select ${columns} from api_keys k join organizations o using (organization_id)
      where k.key_id = $1 for update of k`,
    [keyId]
  )
  if (row !== undefined) return row
  throw new Error(`there is no API key ${keyId}; list the keys with sluice keys list`)
}

/**
 * Finds an organization by ID or by name.
 * @throws if no organization or more than one matches
 */
export async function organizationIdOf(postgres: Queryable, text: string): Promise<string> {
  const found = await postgres.query<{ organization_id: string; name: string }>(
    `select organization_id, name from organizations
      where organization_id::text = lower($1) or name = $1 limit 10`,
    [text]
  )
  const [first] = found
  if (first === undefined) {
    throw new Error(`there is no organization ${text}; create one with sluice bootstrap`)
  }
  if (found.length === 1) return first.organization_id
  const ids = found.map(({ organization_id }) => organization_id).join(', ')
  throw new Error(`several organizations have the name ${text}; pass one of their ids: ${ids}`)
}
