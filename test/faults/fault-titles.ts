/** The faults, in the order in which they happen; apart, since programs and pages need them too. */
export const faultTitles = {
  'response-lost': 'produce response lost',
  'broker-frozen': 'broker frozen',
  'broker-killed': 'broker killed and restarted',
  'redis-killed': 'Redis killed and restarted',
  'redis-frozen': 'Redis frozen',
  'redis-flushed': 'Redis flushed, data and scripts',
  'registry-away': 'registry away',
  'postgres-away': 'Postgres away',
  'gateway-stopped': 'gateway SIGTERM behind a second one',
  'gateway-killed': 'gateway killed behind a second one'
} as const

export type FaultName = keyof typeof faultTitles

/** As `--only` takes them. */
export const faultNames = Object.keys(faultTitles) as FaultName[]
