/** Routes for connections to LLM providers. */
import { prefixedId } from '../../core/ids/prefixed-id.ts'
import { admin, session } from '../../http/typed-route.ts'
import { invalidBody, refuseUsed } from '../configuration/problems.ts'
import { cancelRuns, changeOf } from '../configuration/with-organization-lock.ts'
import { withOrganizationLock } from '../configuration/with-organization-lock.ts'
import { pick } from '../evaluation-run.ts'
import { deletedOf, listPage, pageOf, pageQuery } from '../page.ts'
import { routesOf } from '../services.ts'
import * as queries from './queries.ts'
import type { StoredConnection } from './queries.ts'
import { connectionDraftOf, connectionsMax } from './save-connection.ts'
import { refuseConnection, saveConnection } from './save-connection.ts'
import * as schemas from './schemas.ts'
import { openJudge, testModel } from './test-model.ts'

const path = '/v1/evaluation/connections'
const route = routesOf('connections')
const params = schemas.connectionParams

/** Every session can read connections. Only admins can change or test them; a test incurs costs. */
export const connectionRoutes = [
  route({
    method: 'get',
    path,
    who: session,
    id: 'listConnections',
    summary: 'List connections',
    description:
      'Lists the connections to LLM providers by name, with the state of their circuits.',
    query: pageQuery('entries'),
    answers: { 200: { description: 'A page of connections.', schema: pageOf(schemas.connection) } },
    problems: ['invalid_query'],
    handle: async ({ principal, query, reply }, { store }) => {
      const found = await queries.readConnections(store.of(principal.organization_id))
      const { data, meta } = listPage(found, query, 'name')
      return reply(200, { data: data.map(connectionView), meta })
    }
  }),
  route({
    method: 'post',
    path,
    who: admin,
    id: 'createConnection',
    summary: 'Create a connection',
    description:
      'Creates a connection to a server with an OpenAI-compatible API. The key is encrypted ' +
      `before it is stored. An organization can have at most ${connectionsMax} connections.`,
    body: schemas.newConnection,
    answers: { 201: { description: 'The new connection.', schema: schemas.connection } },
    problems: ['name_taken', 'limit_reached', 'secrets_key_missing'],
    handle: async (call, { store, clock, outbound, secrets }) => {
      const draft = connectionDraftOf(call.body, null)
      refuseConnection(draft, null, outbound)
      const id = prefixedId('con', clock.now())
      const created = await withOrganizationLock(store, call, async (edit) => {
        await edit.audit('connection.created', id, { name: draft.name })
        return saveConnection(edit, secrets, { id, draft, before: null })
      })
      return call.reply(201, connectionView(created))
    }
  }),
  route({
    method: 'get',
    path: `${path}/:connection_id`,
    who: session,
    id: 'showConnection',
    summary: 'Get a connection',
    description: 'Returns everything except the key.',
    params,
    answers: { 200: { description: 'The connection.', schema: schemas.connection } },
    problems: ['connection_not_found'],
    handle: async ({ principal, params: { connection_id: id }, reply }, { store }) => {
      const found = await queries.readConnection(store.of(principal.organization_id), id)
      return reply(200, connectionView(found))
    }
  }),
  route({
    method: 'patch',
    path: `${path}/:connection_id`,
    who: admin,
    id: 'changeConnection',
    summary: 'Update a connection',
    description:
      'Fields that you leave out keep their values. A new key or URL closes the circuit, so ' +
      'that waiting runs are retried. A URL with another origin requires the key again.',
    params,
    body: schemas.connectionChange,
    answers: { 200: { description: 'The updated connection.', schema: schemas.connection } },
    problems: ['connection_not_found', 'name_taken', 'secrets_key_missing'],
    handle: async (call, { store, outbound, secrets }) => {
      const id = call.params.connection_id
      const changed = await withOrganizationLock(store, call, async (edit) => {
        const before = await queries.readConnection(edit, id)
        const draft = connectionDraftOf(call.body, before)
        refuseConnection(draft, before, outbound)
        await edit.audit('connection.changed', id, changeOf(draft, call.body))
        return saveConnection(edit, secrets, { id, draft, before })
      })
      return call.reply(200, connectionView(changed))
    }
  }),
  route({
    method: 'delete',
    path: `${path}/:connection_id`,
    who: admin,
    id: 'deleteConnection',
    summary: 'Delete a connection',
    description:
      'Deletes the connection and its key. Fails with `in_use` while an evaluator uses the ' +
      'connection.',
    params,
    answers: {
      200: {
        description: 'The connection is deleted.',
        schema: deletedOf('connection_id', schemas.connection)
      }
    },
    problems: ['connection_not_found', 'in_use'],
    handle: async (call, { store }) => {
      const id = call.params.connection_id
      await withOrganizationLock(store, call, async (edit) => {
        const { name } = await queries.readConnection(edit, id)
        refuseUsed(await queries.readConnectionUsers(edit, id))
        await queries.deleteConnection(edit, id)
        // No run will probe the connection again, so an open circuit would stay open forever.
        await queries.closeCircuit(edit, id)
        await edit.audit('connection.deleted', id, { name })
        // Earlier evaluator versions can still have pending runs on this connection. Cancels them
        // now instead of when a worker takes them.
        await cancelRuns(edit, ['connection_id', id], 'deleted')
      })
      return call.reply(200, { connection_id: id, deleted: true })
    }
  }),
  route({
    method: 'post',
    path: `${path}/:connection_id/test`,
    who: admin,
    id: 'testConnection',
    summary: 'Test a connection',
    description:
      'Makes one small call and returns the result. If the provider does not respond, the ' +
      'status is still 200. The provider charges for the call.',
    params,
    body: schemas.connectionTest,
    answers: { 200: { description: 'The result of the call.', schema: schemas.testResult } },
    problems: ['connection_not_found', 'secrets_key_missing'],
    handle: async ({ principal, params, body, signal, reply }, services) => {
      const { organization_id } = principal
      const id = params.connection_id
      const connection = await queries.readConnection(services.store.of(organization_id), id)
      const model = body.model ?? connection.models[0]?.model
      if (model === undefined) {
        const detail = 'is required, because the connection lists no models'
        throw invalidBody([{ pointer: '/model', detail }])
      }
      const client = openJudge(services, organization_id, connection)
      return reply(200, await testModel(client, model, signal))
    }
  })
]

/** Converts a connection to its API form, which has no API key. */
function connectionView(stored: StoredConnection): schemas.ConnectionView {
  const members = Object.keys(schemas.connection.properties) as (keyof schemas.ConnectionView)[]
  return pick({ ...stored, has_api_key: stored.api_key_sealed !== null }, members)
}
