/** GET of /v1/auth/api-keys, all of them or one: never with a secret. */
import { jsonReply } from '../../../http/call.ts'
import type { SessionHandle } from '../../../http/route.ts'
import { cursorOf, keyFrom } from '../../configuration/list-page.ts'
import { existing } from '../../configuration/refusals.ts'
import type { Store } from '../../store.ts'
import { keyView, readKey, readKeyPage } from './api-key-rows.ts'
import type { KeyState, ReadKeyCounts } from './api-key-rows.ts'

export interface ShowApiKeysDependencies {
  readonly store: Store
  readonly readKeyCounts: ReadKeyCounts
}

interface KeysQuery {
  readonly state?: KeyState
  readonly cursor?: string
  readonly limit: number
}

const keyIdExpression = /^[0-9A-Za-z]{12}$/

export function createShowApiKeys({ store, readKeyCounts }: ShowApiKeysDependencies) {
  const listKeys: SessionHandle = async ({ principal, query }) => {
    const { state, cursor, limit } = query as unknown as KeysQuery
    const ours = store.of(principal.organization_id)
    const after = placeOf(cursor)
    const rows = await readKeyPage(ours, { state, after, rowsMax: limit + 1 })
    const page = rows.slice(0, limit)
    const ids = page.map(({ key_id }) => key_id)
    const counts = await readKeyCounts(principal.organization_id, ids)
    const last = rows.length > limit ? page.at(-1) : undefined
    const meta = { next_cursor: last === undefined ? null : cursorOf(last.key_id), limit }
    return jsonReply(200, JSON.stringify({ data: page.map((key) => keyView(key, counts)), meta }))
  }

  const showKey: SessionHandle = async ({ principal, params }) => {
    const id = params['key_id'] ?? ''
    const found = await readKey(store.of(principal.organization_id), id)
    const key = existing('API key', found, id)
    const counts = await readKeyCounts(principal.organization_id, [id])
    return jsonReply(200, JSON.stringify(keyView(key, counts)))
  }

  return { listKeys, showKey }
}

/** One that was forged is behind everything. @throws {Problem} 422 */
function placeOf(cursor: string | undefined): string | null {
  if (cursor === undefined) return null
  const keyId = keyFrom(cursor)
  return keyIdExpression.test(keyId) ? keyId : ''
}
