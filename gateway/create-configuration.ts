/** Puts together the handlers of what an organization says of its evaluation. */
import type { Clock } from '../core/clock.ts'
import type { Outbound } from '../platform/outbound.ts'
import { createSealer } from '../platform/sealed-secret.ts'
import { createBudget } from './api/budget/budget.ts'
import { createEditConnections } from './api/connections/edit-connections.ts'
import { createOpenJudge } from './api/connections/open-judge.ts'
import { createShowConnections } from './api/connections/show-connections.ts'
import { createTestConnection } from './api/connections/test-connection.ts'
import type { Store } from './api/store.ts'
import type { ConfigurationHandlers } from './configuration-routes.ts'

export interface ConfigurationParts {
  readonly store: Store
  readonly clock: Clock
  readonly outbound: Outbound
  /** SECRETS_KEY; null where none is set. */
  readonly secretsKey: string | null
}

export function createConfiguration(parts: ConfigurationParts): ConfigurationHandlers {
  const { store, clock, outbound, secretsKey } = parts
  const sealer = secretsKey === null ? null : createSealer(secretsKey)
  const openJudge = createOpenJudge({ clock, outbound, sealer })
  return {
    ...createShowConnections({ store }),
    ...createEditConnections({ store, clock, outbound, sealer }),
    testConnection: createTestConnection({ store, openJudge }),
    ...createBudget({ store })
  }
}
