/** The rows of what an organization says of its evaluation: connections and budget. */
import { changeBudgetOperation, showBudgetOperation } from './api/budget/budget.operation.ts'
import * as connections from './api/connections/connection.operation.ts'
import type { Guards, Row } from './guards.ts'
import type { SessionHandle } from './route.ts'

export interface ConfigurationHandlers {
  readonly listConnections: SessionHandle
  readonly createConnection: SessionHandle
  readonly showConnection: SessionHandle
  readonly changeConnection: SessionHandle
  readonly deleteConnection: SessionHandle
  readonly testConnection: SessionHandle
  readonly showBudget: SessionHandle
  readonly changeBudget: SessionHandle
}

const root = '/v1/evaluation'

/** Any session reads; what costs or changes something asks for a role. */
export function configurationRows(to: ConfigurationHandlers, guards: Guards): readonly Row[] {
  const { session, sessionAs } = guards
  const admin = sessionAs('admin')
  const all = `${root}/connections`
  const one = `${all}/:connection_id`
  // prettier-ignore
  return [
    ['get',    all,              session(connections.listConnectionsOperation, to.listConnections)],
    ['post',   all,              admin(connections.createConnectionOperation, to.createConnection)],
    ['get',    one,              session(connections.showConnectionOperation, to.showConnection)],
    ['patch',  one,              admin(connections.changeConnectionOperation, to.changeConnection)],
    ['delete', one,              admin(connections.deleteConnectionOperation, to.deleteConnection)],
    ['post',   `${one}/test`,    admin(connections.testConnectionOperation, to.testConnection)],
    ['get',    `${root}/budget`, session(showBudgetOperation, to.showBudget)],
    ['put',    `${root}/budget`, admin(changeBudgetOperation, to.changeBudget)]
  ]
}
