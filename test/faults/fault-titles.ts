/** Titles of the gateway faults. This file must not import the faults, because docs.test.ts imports
 * it.
 */
export const faultTitles = {
  'response-lost': 'produce response lost',
  'broker-frozen': 'broker frozen',
  'broker-killed': 'broker killed and restarted',
  'redis-killed': 'Redis killed and restarted',
  'redis-frozen': 'Redis frozen',
  'redis-flushed': 'Redis flushed, data and scripts',
  'registry-unavailable': 'registry unavailable',
  'postgres-unavailable': 'Postgres unavailable',
  'gateway-stopped': 'gateway SIGTERM next to a second one',
  'gateway-killed': 'gateway killed next to a second one'
} as const

export type FaultName = keyof typeof faultTitles

/** Names that `--only` accepts. */
export const faultNames = Object.keys(faultTitles) as FaultName[]
