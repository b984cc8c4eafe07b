/** Reads, drafts and changes API keys. */
import type { Static } from '../../../http/schema.ts'
import { and, query, sql } from '../../../platform/postgres/sql.ts'
import type { Edit, OrganizationRows } from '../../configuration/with-organization-lock.ts'
import { invalidBody, requireFound } from '../../configuration/problems.ts'
import { readTimeRange } from '../../time-range.ts'
import { expiringDays, scopesDefault } from './schemas.ts'
import type { key, keyChange } from './schemas.ts'

type KeyView = Static<typeof key>

export interface StoredApiKey extends Omit<
  KeyView,
  'prefix' | 'accepted_24h' | 'rejected_24h' | 'created_at' | 'expires_at'
> {
  readonly created_at: Date
  readonly expires_at: Date | null
}

/** The members of a key that users set. */
export type ApiKeyDraft = Pick<StoredApiKey, 'name' | 'scopes' | 'expires_at' | 'rate_limit_points'>

const empty: ApiKeyDraft = {
  name: '',
  scopes: scopesDefault,
  expires_at: null,
  rate_limit_points: null
}

/**
 * @param before the key to change, or null for a new one
 * @throws {Problem} 422 for an invalid expiry
 */
export function draftKey(
  body: Static<typeof keyChange>,
  before: ApiKeyDraft | null,
  now: number
): ApiKeyDraft {
  const stored = before ?? empty
  const { name, scopes, rate_limit_points } = { ...stored, ...body }
  const expires_at = expiryOf(body.expires_at, now)
  return {
    name,
    scopes: [...new Set(scopes)],
    expires_at: expires_at === undefined ? stored.expires_at : expires_at,
    rate_limit_points
  }
}

/**
 * Parses the expiry of a key. Null and undefined are returned unchanged.
 * @throws {Problem} 422 if the time is invalid or not in the future
 */
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

/** Latest expiry of a key. RFC 3339 cannot represent years after 9999. */
const latest = Date.UTC(9999, 11, 31)

/**
 * Returns the expiry of the new key. By default, its lifetime is as long as that of the old key,
 * from creation to expiry; if the old key never expires, neither does the new one.
 */
export function successorExpiryOf(
  old: StoredApiKey,
  expiry: Date | null | undefined,
  now: number
): Date | null {
  if (expiry !== undefined || old.expires_at === null) return expiry ?? null
  const lifetimeMs = old.expires_at.getTime() - old.created_at.getTime()
  return new Date(Math.min(now + lifetimeMs, latest))
}

/** The conditions of `state` must be in the same order as in the gateway. */
const selectKeys = ({ organizationId }: OrganizationRows) => sql`
  select key_id, name, environment, scopes, rate_limit_points, created_at, created_by, expires_at,
         revoked_at, replaced_by, last_used_at,
         case when revoked_at is not null then 'revoked'
              when expires_at <= now() then
                case when replaced_by is null then 'expired' else 'rotated' end
              when replaced_by is not null
                or expires_at <= now() + make_interval(days => ${expiringDays})
                then 'expiring'
              else 'active' end as state
    from api_keys
   where organization_id = ${organizationId}`

/** @throws {Problem} 404 */
export async function readKey(ours: OrganizationRows, keyId: string): Promise<StoredApiKey> {
  const one = sql`${selectKeys(ours)} and key_id = ${keyId}`
  const [key = null] = await query<StoredApiKey>(ours, one)
  return requireFound('API key', key, keyId)
}

/**
 * Reads a key and locks its row, because the command line changes keys without the organization
 * lock.
 * @throws {Problem} 404
 */
export async function lockKey(edit: Edit, keyId: string): Promise<StoredApiKey> {
  await query(
    edit,
    sql`select from api_keys
         where organization_id = ${edit.organizationId} and key_id = ${keyId}
           for no key update`
  )
  return readKey(edit, keyId)
}

/**
 * Reads a page of keys, newest first. If the key `after` does not exist, the page is empty.
 * @param after the key id after which the page starts; null for the first page
 */
export function readKeyPage(
  ours: OrganizationRows,
  after: string | null,
  { state, limit }: { readonly state?: KeyView['state']; readonly limit: number }
): Promise<StoredApiKey[]> {
  const isAfter = sql`
    (created_at, key_id) < (select created_at, key_id from api_keys
                             where organization_id = ${ours.organizationId} and key_id = ${after})`
  return query(
    ours,
    sql`select * from (${selectKeys(ours)}) as keys
         where ${and([
           state === undefined ? null : sql`state = ${state}`,
           after === null ? null : isAfter
         ])}
         order by created_at desc, key_id desc
         limit ${limit + 1}`
  )
}

export async function countLiveKeys(ours: OrganizationRows): Promise<number> {
  const [row] = await query<{ live: number }>(
    ours,
    sql`select count(*) as live from api_keys
         where organization_id = ${ours.organizationId} and revoked_at is null
           and (expires_at is null or expires_at > now())`
  )
  return row?.live ?? 0
}

export async function updateKey(edit: Edit, keyId: string, draft: ApiKeyDraft): Promise<void> {
  const { name, scopes, expires_at, rate_limit_points } = draft
  await query(
    edit,
    sql`update api_keys
           set name = ${name}, scopes = ${scopes}, expires_at = ${expires_at},
               rate_limit_points = ${rate_limit_points}
         where organization_id = ${edit.organizationId} and key_id = ${keyId}`
  )
}

/** Records the successor of a key, and sets the expiry of the old key to `ends`. */
export async function replaceKey(
  edit: Edit,
  keyId: string,
  { successor, ends }: { successor: string; ends: Date }
): Promise<void> {
  await query(
    edit,
    sql`update api_keys set expires_at = ${ends}, replaced_by = ${successor}
         where organization_id = ${edit.organizationId} and key_id = ${keyId}`
  )
}

/** @returns true if this call revoked the key; false if it was already revoked */
export async function revokeKey(edit: Edit, keyId: string): Promise<boolean> {
  const revoked = await query(
    edit,
    sql`update api_keys set revoked_at = now()
         where organization_id = ${edit.organizationId} and key_id = ${keyId}
           and revoked_at is null
        returning key_id`
  )
  return revoked.length > 0
}
