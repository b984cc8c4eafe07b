/** Builds connections from request bodies, validates them, encrypts their API keys and saves them.
 */
import type { Violation } from '../../core/problem.ts'
import type { ModelPrice } from '../../platform/llm/judge-client.ts'
import type { Outbound } from '../../platform/http-client/outbound.ts'
import { limitReached, refuseBody, refuseName, violationAt } from '../configuration/problems.ts'
import type { TenantSecrets } from '../configuration/secrets.ts'
import type { Edit } from '../configuration/with-organization-lock.ts'
import { closeCircuit, readConnection, readConnections, upsertConnection } from './queries.ts'
import type { StoredConnection } from './queries.ts'
import { concurrencyDefault } from './schemas.ts'
import type { ConnectionChange } from './schemas.ts'

export const connectionsMax = 50

type ConnectionDraft = ReturnType<typeof connectionDraftOf>

/**
 * An undefined `api_key` keeps the stored key, if there is one; null removes it.
 * @param before the connection to change, or null for a new one
 */
export function connectionDraftOf(body: ConnectionChange, before: StoredConnection | null) {
  const { name = '', base_url = '', concurrency_max = concurrencyDefault } = { ...before, ...body }
  const models = (body.models ?? before?.models ?? []).map(
    ({ model, usd_per_million_input = null, usd_per_million_output = null }) => {
      return { model, usd_per_million_input, usd_per_million_output }
    }
  )
  return { name, base_url, api_key: body.api_key, models, concurrency_max }
}

/** @throws {Problem} 422 listing all violations */
export function refuseConnection(
  draft: ConnectionDraft,
  before: StoredConnection | null,
  outbound: Pick<Outbound, 'addressObjection'>
): void {
  const { base_url, models } = draft
  const hasParts = /[?#]/.test(base_url)
  const objection =
    outbound.addressObjection(base_url) ??
    (hasParts ? 'must end before /chat/completions, and must not contain ? or #' : null)
  refuseBody([
    ...violationAt('/base_url', objection),
    ...violationsOfModels(models),
    ...violationsOfKey(draft, before)
  ])
}

function violationsOfModels(models: readonly ModelPrice[]): Violation[] {
  const names = models.map(({ model }) => model)
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [{ pointer: `/models/${index}/model`, detail: 'is already in the list' }]
  )
}

/**
 * Requires the key again if the URL changes to another origin. The API never returns the key, but
 * without this check a user could have it sent to a server of their own.
 */
function violationsOfKey(draft: ConnectionDraft, before: StoredConnection | null): Violation[] {
  const keeps = draft.api_key === undefined && before !== null && before.api_key_sealed !== null
  if (!keeps || originOf(before.base_url) === originOf(draft.base_url)) return []
  const detail =
    'is required when base_url changes to another origin: the stored key is not sent there'
  return [{ pointer: '/api_key', detail }]
}

function originOf(url: string): string | undefined {
  return URL.parse(url)?.origin
}

/**
 * Number of characters at the end of a key that the API returns as a hint. Keys shorter than
 * `hintedCharsMin` have no hint, because it would reveal too much of them.
 */
const hintChars = 4
const hintedCharsMin = 12

/**
 * Saves a valid draft under the id.
 * @throws {Problem} 409 if the name is taken, the limit is reached, or SECRETS_KEY is not set
 */
export async function saveConnection(
  edit: Edit,
  secrets: TenantSecrets,
  { id, draft, before }: { id: string; draft: ConnectionDraft; before: StoredConnection | null }
) {
  const all = await readConnections(edit)
  if (before === null && all.length >= connectionsMax) {
    throw limitReached('connections', connectionsMax)
  }
  const others = all.filter(({ connection_id }) => connection_id !== id)
  refuseName(draft.name, others)
  const isKept = before !== null && draft.api_key === undefined
  const { api_key_sealed, api_key_hint } = isKept
    ? before
    : sealedKeyOf(draft.api_key ?? null, (key) => secrets.seal(key, edit.organizationId, id))
  await upsertConnection(edit, id, { ...draft, api_key_sealed, api_key_hint })
  const isSame = isKept && draft.base_url === before.base_url
  if (before !== null && !isSame) await closeCircuit(edit, id)
  return await readConnection(edit, id)
}

function sealedKeyOf(apiKey: string | null, seal: (apiKey: string) => Buffer) {
  if (apiKey === null) return { api_key_sealed: null, api_key_hint: null }
  const api_key_hint = apiKey.length < hintedCharsMin ? null : apiKey.slice(-hintChars)
  return { api_key_sealed: seal(apiKey), api_key_hint }
}
