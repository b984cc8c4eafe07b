/** A person and where they belong: an organization of their own, or the one that invited them. */
import type { ApiKeyScope } from '../../core/ids/api-key.ts'
import type { Clock } from '../../core/clock.ts'
import { uuidv7 } from '../../core/ids/ids.ts'
import { Problem } from '../../core/problem.ts'
import { insertApiKey } from '../../store/insert-api-key.ts'
import type { Queryable } from '../../platform/postgres/postgres.ts'
import type { Call } from '../../http/call.ts'
import { recordAudit } from '../organization/record-audit.ts'
import type { AuditOrigin } from '../organization/record-audit.ts'
import { lockInvite, redeemInvite } from '../organization/invites/redeem-invite.ts'

export interface NewPerson {
  /** Normalized. */
  readonly email: string
  readonly password_hash: string
  readonly name?: string | null
  readonly organization_name?: string
  readonly invite_token?: string
  readonly create_key?: boolean
  /** Whether the person has shown to read emails at the address. */
  readonly is_verified?: boolean
}

export interface FirstKey {
  readonly id: string
  /** Whole, to be shown this once. */
  readonly key: string
  readonly scopes: readonly ApiKeyScope[]
}

export interface CreatedPerson {
  readonly user_id: string
  readonly organization: { readonly id: string; readonly name: string }
  readonly role: string
  /** Null when none was wanted, or somebody else's organization has its keys. */
  readonly api_key: FirstKey | null
}

type Caller = Pick<Call, 'remote_address' | 'request_id'>

/**
 * @param transaction of `store.accounts`
 * @throws {Problem} 409 email_taken, 422 token_invalid
 */
export type CreatePerson = (
  transaction: Queryable,
  caller: Caller,
  person: NewPerson
) => Promise<CreatedPerson>

const firstKey = { name: 'first', environment: 'live', scopes: ['ingest'] } as const

export function createCreatePerson(parts: { clock: Clock; pepper: string }): CreatePerson {
  const { clock, pepper } = parts

  async function found(transaction: Queryable, person: NewPerson, origin: AuditOrigin) {
    const { organizationId: id } = origin
    const name = person.organization_name?.trim() ?? ''
    await transaction.query(`insert into organizations (organization_id, name) values ($1, $2)`, [
      ...[id, name]
    ])
    const target = { kind: 'organization', id }
    await recordAudit(transaction, { ...origin, action: 'organization.created', target })
    return { id, name }
  }

  async function makeKey(transaction: Queryable, origin: AuditOrigin): Promise<FirstKey> {
    const { key_id, api_key } = await insertApiKey(transaction, pepper, {
      ...{ organization_id: origin.organizationId, ...firstKey, created_by: origin.actor.id },
      ...{ expires_at: null, rate_limit_points: null }
    })
    await recordAudit(transaction, {
      ...{ ...origin, action: 'api_key.created', target: { kind: 'api_key', id: key_id } },
      details: { name: firstKey.name, scopes: firstKey.scopes }
    })
    return { id: key_id, key: api_key, scopes: firstKey.scopes }
  }

  return async function createPerson(transaction, caller, person) {
    const { invite_token: token, email } = person
    // First, so that whoever has none for this email does not hear whether it has an account.
    if (token !== undefined) await lockInvite(transaction, { token, email })
    const user_id = await insertUser(transaction, uuidv7(clock.now()), person)
    const address = caller.remote_address === '' ? null : caller.remote_address
    const requestId = caller.request_id
    if (token !== undefined) {
      const request = { token, user_id, email, address, requestId }
      const joined = await redeemInvite(transaction, request)
      const organization = { id: joined.organization_id, name: joined.name }
      return { user_id, organization, role: joined.role, api_key: null }
    }
    const actor = { kind: 'user', id: user_id } as const
    const origin = { organizationId: uuidv7(clock.now()), actor, address, requestId }
    const organization = await found(transaction, person, origin)
    await transaction.query(
      `insert into memberships (organization_id, user_id, role) values ($1, $2, 'owner')`,
      [organization.id, user_id]
    )
    const api_key = person.create_key === false ? null : await makeKey(transaction, origin)
    return { user_id, organization, role: 'owner', api_key }
  }
}

async function insertUser(
  transaction: Queryable,
  userId: string,
  { email, password_hash, name = null, is_verified = false }: NewPerson
): Promise<string> {
  const inserted = await transaction.query(
    `insert into users (user_id, email, password_hash, name, email_verified_at)
     values ($1, $2, $3, $4, case when $5 then now() end)
     on conflict (email) do nothing returning user_id`,
    [userId, email, password_hash, name, is_verified]
  )
  if (inserted.length > 0) return userId
  const detail = 'Somebody has an account with this email; log in, or set a new password.'
  throw new Problem('email_taken', { detail })
}
