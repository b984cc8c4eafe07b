/** The API keys of one organization as the store has them and as readers see them. */
import type { ApiKeyScope } from '../../../core/ids/api-key.ts'
import type { Queryable, Row } from '../../../platform/postgres/postgres.ts'
import type { OrganizationRows } from '../../configuration/take-turn.ts'

export const keyStates = ['active', 'expiring', 'expired', 'revoked', 'rotated'] as const
export type KeyState = (typeof keyStates)[number]

export interface StoredKey extends Row {
  readonly key_id: string
  readonly name: string
  /** The <env> in `slk_<env>_…`. */
  readonly environment: string
  readonly scopes: readonly ApiKeyScope[]
  readonly rate_limit_points: number | null
  readonly created_at: Date
  readonly created_by: string | null
  readonly expires_at: Date | null
  readonly revoked_at: Date | null
  readonly replaced_by: string | null
  readonly last_used_at: Date | null
  readonly state: KeyState
}

/** What became of what a key sent in the last 24 hours. */
export interface KeyCounts {
  readonly accepted: number
  readonly rejected: number
}

/** Null while that is not known. */
export type ReadKeyCounts = (
  organizationId: string,
  keyIds: readonly string[]
) => Promise<ReadonlyMap<string, KeyCounts> | null>

/** One that ends within so many days is said to. */
export const expiringDays = 7

/** In the order in which a gateway looks. */
const state = `
  case when revoked_at is not null then 'revoked'
       when expires_at <= now() then
         case when replaced_by is null then 'expired' else 'rotated' end
       when replaced_by is not null or expires_at <= now() + interval '${expiringDays} days'
         then 'expiring'
       else 'active' end`

const columns = `key_id, name, environment, scopes, rate_limit_points, created_at, created_by,
                 expires_at, revoked_at, replaced_by, last_used_at, ${state} as state`

export async function readKey(ours: OrganizationRows, keyId: string): Promise<StoredKey | null> {
  const [key] = await ours.query<StoredKey>(
    `select ${columns} from api_keys where organization_id = $1 and key_id = $2`,
    [ours.organizationId, keyId]
  )
  return key ?? null
}

/** The same, and the command line changes it no sooner than this transaction has ended. */
export async function lockKey(
  edit: OrganizationRows & Queryable,
  keyId: string
): Promise<StoredKey | null> {
  await edit.query(
    `select from api_keys where organization_id = $1 and key_id = $2 for no key update`,
    [edit.organizationId, keyId]
  )
  return readKey(edit, keyId)
}

export interface KeyPageRequest {
  readonly state: KeyState | undefined
  /** The page begins behind this key; null is the first page. */
  readonly after: string | null
  readonly rowsMax: number
}

/** The newest first. Behind a key that there is not comes nothing. */
export function readKeyPage(ours: OrganizationRows, request: KeyPageRequest): Promise<StoredKey[]> {
  return ours.query<StoredKey>(
    `select * from (select ${columns} from api_keys where organization_id = $1) as keys
      where ($2::text is null or state = $2)
        and ($3::text is null or (created_at, key_id) <
             (select created_at, key_id from api_keys where organization_id = $1 and key_id = $3))
      order by created_at desc, key_id desc
      limit ${request.rowsMax}`,
    [ours.organizationId, request.state ?? null, request.after]
  )
}

export async function countLiveKeys(ours: OrganizationRows): Promise<number> {
  const [row] = await ours.query<{ live: number }>(
    `select count(*) as live from api_keys
      where organization_id = $1 and revoked_at is null
        and (expires_at is null or expires_at > now())`,
    [ours.organizationId]
  )
  return row?.live ?? 0
}

export function keyView(key: StoredKey, counts: ReadonlyMap<string, KeyCounts> | null) {
  const { key_id, name, environment, ...rest } = key
  const { accepted, rejected } = counts?.get(key_id) ?? { accepted: 0, rejected: 0 }
  return {
    ...{ key_id, prefix: `slk_${environment}_${key_id}` },
    ...{ name, environment, ...rest },
    accepted_24h: counts === null ? null : accepted,
    rejected_24h: counts === null ? null : rejected
  }
}
