/** GET, POST, PATCH and DELETE of /v1/auth/api-keys, and revoking one. */
import type { Clock } from '../../../core/clock.ts'
import { insertApiKey } from '../../../store/insert-api-key.ts'
import { jsonReply } from '../../../http/call.ts'
import type { SessionHandle } from '../../../http/route.ts'
import { changeOf } from '../../configuration/change-of.ts'
import { existing, limitReached } from '../../configuration/refusals.ts'
import { takeTurn } from '../../configuration/take-turn.ts'
import type { Edit } from '../../configuration/take-turn.ts'
import type { Store } from '../../store.ts'
import { apiKeyDraftOf, environmentDefault } from './api-key-draft.ts'
import type { ApiKeyBody, ApiKeyDraft } from './api-key-draft.ts'
import { countLiveKeys, keyView, lockKey, readKey } from './api-key-rows.ts'
import type { ReadKeyCounts } from './api-key-rows.ts'
import { refuseEnded } from './refuse-ended.ts'
import { refuseManaging } from '../refuse-managing.ts'

export interface ApiKeysDependencies {
  readonly store: Store
  readonly clock: Clock
  readonly pepper: string
  /** Gateways know keys for some seconds: they are told what has changed. */
  readonly tellKeyChange: (keyId: string) => void
  readonly readKeyCounts: ReadKeyCounts
}

/** Those that have ended do not count. */
export const keysMax = 1000

export function createApiKeys(dependencies: ApiKeysDependencies) {
  const { store, clock, pepper, tellKeyChange, readKeyCounts } = dependencies

  const createKey: SessionHandle = async (call) => {
    const body = call.body as ApiKeyBody
    const { environment = environmentDefault } = body
    const draft = apiKeyDraftOf(body, null, clock.now())
    const made = await takeTurn(store, call, async (edit) => {
      await refuseKeys(edit)
      const created = { ...owned(edit), ...draft, environment }
      const { key_id, api_key } = await insertApiKey(edit, pepper, created)
      await edit.audit('api_key.created', key_id, { ...draft, environment })
      const key = existing('API key', await readKey(edit, key_id), key_id)
      return { ...keyView(key, new Map()), key: api_key }
    })
    return jsonReply(201, JSON.stringify(made))
  }

  const changeKey: SessionHandle = async (call) => {
    const id = call.params['key_id'] ?? ''
    const body = call.body as Partial<ApiKeyBody>
    const key = await takeTurn(store, call, async (edit) => {
      await refuseManaging(edit, [])
      const before = existing('API key', await lockKey(edit, id), id)
      refuseEnded(before)
      const draft = apiKeyDraftOf(body, before, clock.now())
      await updateKey(edit, id, draft)
      await edit.audit('api_key.changed', id, changeOf(draft, body))
      return existing('API key', await readKey(edit, id), id)
    })
    tellKeyChange(id)
    const counts = await readKeyCounts(call.principal.organization_id, [id])
    return jsonReply(200, JSON.stringify(keyView(key, counts)))
  }

  const revokeKey: SessionHandle = async (call) => {
    const id = call.params['key_id'] ?? ''
    const key = await takeTurn(store, call, async (edit) => {
      await refuseManaging(edit, [])
      existing('API key', await lockKey(edit, id), id)
      await revoke(edit, id)
      return existing('API key', await readKey(edit, id), id)
    })
    // Told again as well: whoever repeats it does so because it had no effect.
    tellKeyChange(id)
    const counts = await readKeyCounts(call.principal.organization_id, [id])
    return jsonReply(200, JSON.stringify(keyView(key, counts)))
  }

  return { createKey, changeKey, revokeKey }
}

/** @throws {Problem} 403 or 409 */
export async function refuseKeys(edit: Edit): Promise<void> {
  await refuseManaging(edit, [])
  if ((await countLiveKeys(edit)) < keysMax) return
  throw limitReached('API keys that have not ended', keysMax)
}

/** Whose it is, and who made it. */
export function owned(edit: Edit) {
  return { organization_id: edit.organizationId, created_by: edit.userId }
}

async function updateKey(edit: Edit, keyId: string, draft: ApiKeyDraft): Promise<void> {
  const { name, scopes, expires_at, rate_limit_points } = draft
  await edit.query(
    `update api_keys set name = $3, scopes = $4, expires_at = $5, rate_limit_points = $6
      where organization_id = $1 and key_id = $2`,
    [edit.organizationId, keyId, name, scopes, expires_at, rate_limit_points]
  )
}

/** Once is enough: what was revoked stays as it was. */
async function revoke(edit: Edit, keyId: string): Promise<void> {
  const [revoked] = await edit.query<{ name: string }>(
    `update api_keys set revoked_at = now()
      where organization_id = $1 and key_id = $2 and revoked_at is null
      returning name`,
    [edit.organizationId, keyId]
  )
  if (revoked !== undefined) await edit.audit('api_key.revoked', keyId, { name: revoked.name })
}
