/** Handlers for the route table where only the table is looked at. */
import type { Handle } from '../../http/route.ts'
import type { Handlers } from '../../gateway/routes.ts'

/** The same one for every route, whatever routes there are. */
export function handlersOf(handle: Handle): Handlers {
  return new Proxy({} as Handlers, { get: () => handle })
}
