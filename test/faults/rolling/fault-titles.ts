/** Titles of the rolling restarts. */
export const rollingFaultTitles = {
  'rolling-http': 'rolling restart behind a layer 7 load balancer',
  'rolling-tcp': 'rolling restart of gateways with workers, behind a layer 4 load balancer',
  'rolling-haproxy': 'rolling restart behind HAProxy',
  'rolling-all': 'rolling restart of everything',
  'rolling-killed': 'rolling restart with SIGKILL'
} as const

export type RollingFaultName = keyof typeof rollingFaultTitles

/** Names that `--only` accepts. */
export const rollingFaultNames = Object.keys(rollingFaultTitles) as RollingFaultName[]
