/** POST, PATCH and DELETE of /v1/evaluation/connections. */
import type { Clock } from '../../core/clock.ts'
import { prefixedId } from '../../core/ids/prefixed-id.ts'
import type { Outbound } from '../../platform/http-client/outbound.ts'
import type { Sealer } from '../../platform/security/sealed-secret.ts'
import { secretContextOf } from '../../platform/security/secret-context.ts'
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { cancelRuns } from '../configuration/cancel-runs.ts'
import { changeOf } from '../configuration/change-of.ts'
import { existing, inUse, limitReached, nameTaken } from '../configuration/refusals.ts'
import { takeTurn } from '../configuration/take-turn.ts'
import type { Edit } from '../configuration/take-turn.ts'
import type { Store } from '../store.ts'
import { closeCircuit } from './close-circuit.ts'
import { connectionDraftOf, refuseConnection, sealKey } from './connection-draft.ts'
import type { ConnectionBody, ConnectionDraft } from './connection-draft.ts'
import { connectionView, readConnection, readConnections } from './connection-rows.ts'
import type { StoredConnection } from './connection-rows.ts'
import { readConnectionUsers } from './connection-users.ts'

export interface EditConnectionsDependencies {
  readonly store: Store
  readonly clock: Clock
  readonly outbound: Pick<Outbound, 'addressObjection'>
  /** Null without SECRETS_KEY: then no connection can have a key. */
  readonly sealer: Sealer | null
}

export const connectionsMax = 50

export function createEditConnections(dependencies: EditConnectionsDependencies) {
  const { store, clock, outbound, sealer } = dependencies
  const save = createSave(sealer)

  const createConnection: SessionHandle = async (call) => {
    const draft = connectionDraftOf(call.body as ConnectionBody, null)
    refuseConnection(draft, null, outbound)
    const id = prefixedId('con', clock.now())
    const made = await takeTurn(store, call, (edit) => save.add(edit, id, draft))
    return jsonReply(201, JSON.stringify(connectionView(existing('connection', made, id))))
  }

  const changeConnection: SessionHandle = async (call) => {
    const id = call.params['connection_id'] ?? ''
    const body = call.body as Partial<ConnectionBody>
    const changed = await takeTurn(store, call, async (edit) => {
      const before = existing('connection', await readConnection(edit, id), id)
      const draft = connectionDraftOf(body, before)
      refuseConnection(draft, before, outbound)
      await edit.audit('connection.changed', id, changeOf(draft, body))
      return await save.replace(edit, before, draft)
    })
    return jsonReply(200, JSON.stringify(connectionView(existing('connection', changed, id))))
  }

  const deleteConnection: SessionHandle = async (call) => {
    const id = call.params['connection_id'] ?? ''
    await takeTurn(store, call, (edit) => remove(edit, id))
    return jsonReply(200, JSON.stringify({ connection_id: id, deleted: true }))
  }

  return { createConnection, changeConnection, deleteConnection }
}

/** Whoever saves has the turn. */
function createSave(sealer: Sealer | null) {
  async function add(edit: Edit, id: string, draft: ConnectionDraft) {
    const others = await readConnections(edit)
    if (others.length >= connectionsMax) throw limitReached('connections', connectionsMax)
    refuseName(draft.name, others)
    await insertConnection(edit, id, { ...draft, ...keyOf(edit, id, draft) })
    await edit.audit('connection.created', id, { name: draft.name })
    return await readConnection(edit, id)
  }

  async function replace(edit: Edit, before: StoredConnection, draft: ConnectionDraft) {
    const id = before.connection_id
    const all = await readConnections(edit)
    refuseName(
      draft.name,
      all.filter((other) => other.connection_id !== id)
    )
    const { api_key_sealed, api_key_hint } = before
    const isKept = draft.api_key === undefined
    const key = isKept ? { api_key_sealed, api_key_hint } : keyOf(edit, id, draft)
    await updateConnection(edit, id, { ...draft, ...key })
    if (!isKept || draft.base_url !== before.base_url) await closeCircuit(edit, id)
    return await readConnection(edit, id)
  }

  function keyOf({ organizationId }: Edit, id: string, { api_key }: ConnectionDraft): Key {
    const context = secretContextOf(organizationId, id)
    const { sealed, hint } = sealKey(api_key ?? null, sealer, context)
    return { api_key_sealed: sealed, api_key_hint: hint }
  }

  return { add, replace }
}

type Key = Pick<StoredConnection, 'api_key_sealed' | 'api_key_hint'>

async function remove(edit: Edit, id: string): Promise<void> {
  const { name } = existing('connection', await readConnection(edit, id), id)
  const users = await readConnectionUsers(edit, id)
  if (users.length > 0) throw inUse(users)
  await edit.query(
    `update evaluation_connections
        set deleted_at = now(), api_key_sealed = null
      where organization_id = $1 and connection_id = $2`,
    [edit.organizationId, id]
  )
  await edit.audit('connection.deleted', id, { name })
  // Of versions that nobody names any more: where it is blocked, they would wait for their end.
  await cancelRuns(edit, ['connection_id', id], 'deleted')
}

function refuseName(name: string, others: readonly StoredConnection[]): void {
  if (others.some((other) => other.name === name)) throw nameTaken(name)
}

type Saved = ConnectionDraft & Key

function valuesOf(edit: Edit, id: string, saved: Saved): unknown[] {
  const { name, base_url, api_key_sealed, api_key_hint, models, concurrency_max } = saved
  const columns = [name, base_url, api_key_sealed, api_key_hint, JSON.stringify(models)]
  return [edit.organizationId, id, ...columns, concurrency_max]
}

async function insertConnection(edit: Edit, id: string, saved: Saved): Promise<void> {
  await edit.query(
    `insert into evaluation_connections (organization_id, connection_id, name, kind, base_url,
                                         api_key_sealed, api_key_hint, models, concurrency_max)
     values ($1, $2, $3, 'openai_compatible', $4, $5, $6, $7, $8)`,
    valuesOf(edit, id, saved)
  )
}

async function updateConnection(edit: Edit, id: string, saved: Saved): Promise<void> {
  await edit.query(
    `update evaluation_connections
        set name = $3, base_url = $4, api_key_sealed = $5, api_key_hint = $6, models = $7,
            concurrency_max = $8, updated_at = now()
      where organization_id = $1 and connection_id = $2`,
    valuesOf(edit, id, saved)
  )
}
