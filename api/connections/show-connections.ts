/** GET of /v1/evaluation/connections, all of them or one. */
import { jsonReply } from '../../http/call.ts'
import type { SessionHandle } from '../../http/route.ts'
import { listPage } from '../configuration/list-page.ts'
import type { PageQuery } from '../configuration/list-page.ts'
import { existing } from '../configuration/refusals.ts'
import type { Store } from '../store.ts'
import { connectionView, readConnection, readConnections } from './connection-rows.ts'

export function createShowConnections({ store }: { readonly store: Store }) {
  const listConnections: SessionHandle = async ({ principal, query }) => {
    const found = await readConnections(store.of(principal.organization_id))
    const sorted = found.toSorted((left, right) => (left.name < right.name ? -1 : 1))
    const { page, meta } = listPage(sorted, query as unknown as PageQuery, ({ name }) => name)
    return jsonReply(200, JSON.stringify({ data: page.map(connectionView), meta }))
  }

  const showConnection: SessionHandle = async ({ principal, params }) => {
    const id = params['connection_id'] ?? ''
    const found = await readConnection(store.of(principal.organization_id), id)
    return jsonReply(200, JSON.stringify(connectionView(existing('connection', found, id))))
  }

  return { listConnections, showConnection }
}
