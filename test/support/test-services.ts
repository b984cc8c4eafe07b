/** Defines the file through which the runner passes service addresses to the tests. */
import type { Secrets } from '../../stack/secrets.ts'
import type { Addresses, StackMode } from '../../stack/services.ts'

/** Environment variable that contains the path of the file. */
export const servicesVariable = 'SLUICE_TEST_SERVICES'

export type TestServices = {
  mode: StackMode
  addresses: Addresses
  /** Port that the broker's PROXY listener advertises; null if there is no such listener. */
  proxyPort: number | null
  /**
   * Name of the migrated database to copy. It is on the server of `databaseUrl` and must have no
   * connections.
   */
  templateDatabase: string
  secrets: Secrets
  /** Base URL of the control server. */
  controlUrl: string
}
