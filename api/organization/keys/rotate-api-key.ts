/** POST /v1/auth/api-keys/{key_id}/rotate: another key in its place, while it goes on for a bit. */
import { insertApiKey } from '../../../store/insert-api-key.ts'
import { jsonReply } from '../../../http/call.ts'
import type { SessionHandle } from '../../../http/route.ts'
import { existing } from '../../configuration/refusals.ts'
import { takeTurn } from '../../configuration/take-turn.ts'
import type { Edit } from '../../configuration/take-turn.ts'
import { expiryOf } from './api-key-draft.ts'
import { keyView, lockKey, readKey } from './api-key-rows.ts'
import type { StoredKey } from './api-key-rows.ts'
import { owned, refuseKeys } from './api-keys.ts'
import type { ApiKeysDependencies } from './api-keys.ts'
import { refuseEnded } from './refuse-ended.ts'
import { refuseManaging } from '../refuse-managing.ts'

interface RotationBody {
  readonly grace_seconds?: number
  readonly expires_at?: string | null
}

interface Rotation {
  readonly keyId: string
  /** When the old key ends, at the latest. */
  readonly endsAt: number
  readonly expires_at: Date | null | undefined
  readonly now: number
}

export const graceDefaultSeconds = 86_400
export const graceMaxSeconds = 30 * 86_400
/** RFC 3339 has no later year. */
const latest = Date.UTC(9999, 11, 31)

export function createRotateKey(
  dependencies: Omit<ApiKeysDependencies, 'readKeyCounts'>
): SessionHandle {
  const { store, clock, pepper, tellKeyChange } = dependencies

  return async function rotateKey(call) {
    const keyId = call.params['key_id'] ?? ''
    const now = clock.now()
    const rotation = { keyId, ...rotationOf(call.body as RotationBody, now) }
    const rotated = await takeTurn(store, call, (edit) => rotate(edit, rotation, pepper))
    tellKeyChange(keyId)
    return jsonReply(201, JSON.stringify(rotated))
  }
}

function rotationOf(
  { grace_seconds = graceDefaultSeconds, expires_at }: RotationBody,
  now: number
) {
  return { endsAt: now + grace_seconds * 1000, expires_at: expiryOf(expires_at, now), now }
}

async function rotate(edit: Edit, rotation: Rotation, pepper: string) {
  const { keyId, endsAt, now } = rotation
  // Without a grace there are not more keys than before.
  await (endsAt > now ? refuseKeys(edit) : refuseManaging(edit, []))
  const old = existing('API key', await lockKey(edit, keyId), keyId)
  refuseEnded(old)
  const { name, scopes, rate_limit_points, environment } = old
  const expires_at = successorExpiryOf(old, rotation)
  const created = { ...owned(edit), name, scopes, rate_limit_points, environment, expires_at }
  const { key_id, api_key } = await insertApiKey(edit, pepper, created)
  const ends = new Date(Math.min(endsAt, old.expires_at?.getTime() ?? Infinity))
  await edit.query(
    `update api_keys set expires_at = $3, replaced_by = $4
      where organization_id = $1 and key_id = $2`,
    [edit.organizationId, keyId, ends, key_id]
  )
  await edit.audit('api_key.rotated', keyId, { name, replaced_by: key_id, ends_at: ends })
  const key = existing('API key', await readKey(edit, key_id), key_id)
  const replaces = { key_id: keyId, expires_at: ends }
  return { ...keyView(key, new Map()), key: api_key, replaces }
}

/** Where nothing is said, it is valid for as long as the old one was made for. */
function successorExpiryOf(old: StoredKey, { expires_at, now }: Rotation): Date | null {
  if (expires_at !== undefined || old.expires_at === null) return expires_at ?? null
  const lifetimeMs = old.expires_at.getTime() - old.created_at.getTime()
  return new Date(Math.min(now + lifetimeMs, latest))
}
