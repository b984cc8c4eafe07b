/** What the runner tells the tests about the stack it started, as a file that they read. */
import type { Secrets } from '../../stack/secrets.ts'
import type { Addresses, StackMode } from '../../stack/services.ts'

/** The environment variable that names the file. */
export const servicesVariable = 'SLUICE_TEST_SERVICES'

export type TestServices = {
  mode: StackMode
  addresses: Addresses
  /** Advertised by the broker's PROXY listener; null where there is no such listener. */
  proxyPort: number | null
  /** A migrated database that nobody connects to; copies of it are made from `databaseUrl`. */
  templateDatabase: string
  secrets: Secrets
  /** Where the runner can be asked to freeze a service. */
  controlUrl: string
}
