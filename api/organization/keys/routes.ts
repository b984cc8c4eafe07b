/** Routes for API keys: list, get, create, update, rotate and revoke. */
import { Problem } from '../../../core/problem.ts'
import { oneOf, optional } from '../../../http/schema.ts'
import { admin } from '../../../http/typed-route.ts'
import { insertApiKey } from '../../../store/insert-api-key.ts'
import type { OutcomeCounts } from '../../../usage/read-outcomes.ts'
import { limitReached } from '../../configuration/problems.ts'
import { changeOf, withOrganizationLock } from '../../configuration/with-organization-lock.ts'
import type { Edit } from '../../configuration/with-organization-lock.ts'
import type { EditCall } from '../record-audit.ts'
import { cursorOf, keyFrom, pageOf, pageQuery } from '../../page.ts'
import { routesOf } from '../../services.ts'
import type { Services } from '../../services.ts'
import { requireManager } from '../queries.ts'
import * as queries from './queries.ts'
import type { ApiKeyDraft, StoredApiKey } from './queries.ts'
import * as schemas from './schemas.ts'

/** Maximum number of live API keys per organization. Expired and revoked keys do not count. */
export const keysMax = 1000

const path = '/v1/auth/api-keys'
const route = routesOf('api-keys')
const params = schemas.keyParams

export const keyRoutes = [
  route({
    method: 'get',
    path,
    who: admin,
    id: 'listApiKeys',
    summary: 'List API keys',
    description:
      'Requires the role admin or higher. Lists all keys, newest first, including those that no ' +
      'longer work. Secrets are not shown.',
    query: {
      ...pageQuery('entries'),
      state: optional(
        oneOf(schemas.keyStates, { type: 'string', description: 'Only keys in this state.' })
      )
    },
    answers: { 200: { description: 'A page of API keys.', schema: pageOf(schemas.key) } },
    problems: ['invalid_query'],
    share: 'expensive reads',
    handle: async ({ principal, query, reply }, { store, readUsage }) => {
      const { cursor, limit } = query
      const ours = store.of(principal.organization_id)
      const rows = await queries.readKeyPage(ours, positionOf(cursor), query)
      const page = rows.slice(0, limit)
      const ids = page.map(({ key_id }) => key_id)
      const counts = await readUsage.keyCounts(principal.organization_id, ids)
      const last = rows.length > limit ? page.at(-1) : undefined
      const next_cursor = last === undefined ? null : cursorOf(last.key_id)
      const data = page.map((key) => keyView(key, counts))
      return reply(200, { data, meta: { next_cursor, limit } })
    }
  }),
  route({
    method: 'post',
    path,
    who: admin,
    id: 'createApiKey',
    summary: 'Create an API key',
    description:
      'Requires the role admin or higher. An admin can grant any scope; no key can manage ' +
      `keys, members or invites. An organization can have at most ${keysMax} live API keys. ` +
      'The key is shown only in this response.',
    body: schemas.newKey,
    answers: {
      201: { description: 'The new API key, with its secret.', schema: schemas.keyWithSecret }
    },
    problems: ['limit_reached'],
    share: 'account calls',
    handle: async (call, { store, clock, config }) => {
      const { environment = schemas.environmentDefault } = call.body
      const draft = { ...queries.draftKey(call.body, null, clock.now()), environment }
      const created = await withOrganizationLock(store, call, async (edit) => {
        await refuseKeys(edit)
        const made = await insertKey(edit, config.API_KEY_PEPPER, draft)
        await edit.audit('api_key.created', made.key_id, draft)
        return made
      })
      return call.reply(201, created)
    }
  }),
  route({
    method: 'get',
    path: `${path}/:key_id`,
    who: admin,
    id: 'showApiKey',
    summary: 'Get an API key',
    description: 'Requires the role admin or higher. The secret is not shown.',
    params,
    answers: { 200: { description: 'The API key.', schema: schemas.key } },
    problems: ['api_key_not_found'],
    share: 'account calls',
    handle: async ({ principal, params: { key_id: id }, reply }, { store, readUsage }) => {
      const ours = store.of(principal.organization_id)
      const key = await queries.readKey(ours, id)
      return reply(200, keyView(key, await readUsage.keyCounts(ours.organizationId, [id])))
    }
  }),
  route({
    method: 'patch',
    path: `${path}/:key_id`,
    who: admin,
    id: 'changeApiKey',
    summary: 'Update an API key',
    description:
      'Requires the role admin or higher. Fields that you leave out keep their values. ' +
      'Gateways are notified immediately, and apply the change within five seconds in any ' +
      'case. A key that has expired, or was revoked or rotated, cannot be updated.',
    params,
    body: schemas.keyChange,
    answers: { 200: { description: 'The updated API key.', schema: schemas.key } },
    problems: ['api_key_not_found', 'key_ended'],
    share: 'account calls',
    handle: async (call, services) => {
      const { key_id: id } = call.params
      const changed = await editKey(call, services, async (edit, before) => {
        refuseEnded(before)
        const draft = queries.draftKey(call.body, before, services.clock.now())
        await queries.updateKey(edit, id, draft)
        await edit.audit('api_key.changed', id, changeOf(draft, call.body))
      })
      return call.reply(200, changed)
    }
  }),
  route({
    method: 'delete',
    path: `${path}/:key_id`,
    who: admin,
    id: 'deleteApiKey',
    summary: 'Delete an API key',
    description:
      'Requires the role admin or higher. Revokes the key, as `POST ' +
      '/v1/auth/api-keys/{key_id}/revoke` does. The key stays in the list, for the decisions ' +
      'that it sent.',
    params,
    answers: { 200: { description: 'The revoked API key.', schema: schemas.revokedKey } },
    problems: ['api_key_not_found'],
    share: 'account calls',
    handle: async (call, services) => call.reply(200, await editKey(call, services, revoke))
  }),
  route({
    method: 'post',
    path: `${path}/:key_id/rotate`,
    who: admin,
    id: 'rotateApiKey',
    summary: 'Rotate an API key',
    description:
      'Requires the role admin or higher. Creates a key with the same name, scopes, ' +
      'environment and limit. The old key keeps working for a grace period, so that agents ' +
      'can switch to the new one without interruption. A key can be rotated once.',
    params,
    body: schemas.rotation,
    answers: {
      201: { description: 'The new API key, with its secret.', schema: schemas.rotatedKey }
    },
    problems: ['api_key_not_found', 'key_ended', 'limit_reached'],
    share: 'account calls',
    handle: async (call, { store, clock, config, notifyKeyChange }) => {
      const { key_id: id } = call.params
      const now = clock.now()
      const { grace_seconds = schemas.graceDefaultSeconds } = call.body
      const endsAt = now + grace_seconds * 1000
      const expiry = queries.expiryOf(call.body.expires_at, now)
      const rotated = await withOrganizationLock(store, call, async (edit) => {
        // Without a grace period, the number of live keys does not change, so the limit need not
        // be checked.
        await (endsAt > now ? refuseKeys(edit) : requireManager(edit, []))
        const old = await queries.lockKey(edit, id)
        refuseEnded(old)
        const expires_at = queries.successorExpiryOf(old, expiry, now)
        const made = await insertKey(edit, config.API_KEY_PEPPER, { ...old, expires_at })
        const ends = new Date(Math.min(endsAt, old.expires_at?.getTime() ?? Infinity))
        await queries.replaceKey(edit, id, { successor: made.key_id, ends })
        const details = { name: old.name, replaced_by: made.key_id, ends_at: ends }
        await edit.audit('api_key.rotated', id, details)
        return { ...made, replaces: { key_id: id, expires_at: ends } }
      })
      notifyKeyChange(id)
      return call.reply(201, rotated)
    }
  }),
  route({
    method: 'post',
    path: `${path}/:key_id/revoke`,
    who: admin,
    id: 'revokeApiKey',
    summary: 'Revoke an API key',
    description:
      'Requires the role admin or higher. Gateways are notified immediately, and reject the ' +
      'key within five seconds in any case. Revoking a key again has no effect.',
    params,
    answers: { 200: { description: 'The revoked API key.', schema: schemas.revokedKey } },
    problems: ['api_key_not_found'],
    share: 'account calls',
    handle: async (call, services) => call.reply(200, await editKey(call, services, revoke))
  })
]

/**
 * Returns the key id in a cursor; null for the first page. Returns '' if the cursor is forged,
 * which results in an empty page.
 * @throws {Problem} 422 for a malformed cursor
 */
function positionOf(cursor: string | undefined): string | null {
  if (cursor === undefined) return null
  const keyId = keyFrom(cursor)
  return /^[0-9A-Za-z]{12}$/.test(keyId) ? keyId : ''
}

/**
 * Converts a key to its API form.
 * @param counts the numbers of accepted and rejected decisions in the last 24 hours, by key id;
 * null if unknown
 */
function keyView(
  { key_id, name, environment, ...rest }: StoredApiKey,
  counts: ReadonlyMap<string, Pick<OutcomeCounts, 'accepted' | 'rejected'>> | null
) {
  const { accepted, rejected } = counts?.get(key_id) ?? { accepted: 0, rejected: 0 }
  return {
    key_id,
    prefix: `slk_${environment}_${key_id}`,
    name,
    environment,
    ...rest,
    accepted_24h: counts === null ? null : accepted,
    rejected_24h: counts === null ? null : rejected
  }
}

/**
 * @throws {Problem} 403 if the user is not an admin; 409 if the organization has `keysMax` live
 * keys
 */
async function refuseKeys(edit: Edit): Promise<void> {
  await requireManager(edit, [])
  if ((await queries.countLiveKeys(edit)) < keysMax) return
  throw limitReached('live API keys', keysMax)
}

async function insertKey(
  edit: Edit,
  pepper: string,
  draft: ApiKeyDraft & Pick<StoredApiKey, 'environment'>
) {
  const owner = { organization_id: edit.organizationId, created_by: edit.userId }
  const { key_id, api_key } = await insertApiKey(edit, pepper, { ...draft, ...owner })
  return { ...keyView(await queries.readKey(edit, key_id), new Map()), key: api_key }
}

/** Changes a key with `work`, and notifies the gateways. */
async function editKey(
  call: EditCall & { readonly params: { readonly key_id: string } },
  { store, readUsage, notifyKeyChange }: Services,
  work: (edit: Edit, before: StoredApiKey) => Promise<void>
) {
  const { key_id: id } = call.params
  const key = await withOrganizationLock(store, call, async (edit) => {
    await requireManager(edit, [])
    await work(edit, await queries.lockKey(edit, id))
    return queries.readKey(edit, id)
  })
  // Notify the gateways even if the key was already revoked: a caller may be repeating a
  // revocation that did not seem to take effect.
  notifyKeyChange(id)
  return keyView(key, await readUsage.keyCounts(call.principal.organization_id, [id]))
}

/** Revokes a key. Idempotent. */
async function revoke(edit: Edit, { key_id, name }: StoredApiKey): Promise<void> {
  if (await queries.revokeKey(edit, key_id)) await edit.audit('api_key.revoked', key_id, { name })
}

/** @throws {Problem} 409 key_ended */
function refuseEnded({ replaced_by, state }: StoredApiKey): void {
  const hasEnded = state === 'revoked' || state === 'expired'
  if (!hasEnded && replaced_by === null) return
  const detail = hasEnded
    ? `The API key is ${state}. Create a new one.`
    : `The API key was rotated. Use its successor ${replaced_by} instead.`
  throw new Problem('key_ended', { detail })
}
