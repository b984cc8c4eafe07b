/** What is restarted behind a balancer, in the order in which it happens. */
export const rollingFaultTitles = {
  'rolling-http': 'rolling restart behind a balancer of requests',
  'rolling-tcp': 'rolling restart of gateways with workers, behind a balancer of connections',
  'rolling-haproxy': 'rolling restart behind HAProxy',
  'rolling-all': 'rolling restart of everything',
  'rolling-killed': 'the same without a word: SIGKILL'
} as const

export type RollingFaultName = keyof typeof rollingFaultTitles

/** As `--only` takes them. */
export const rollingFaultNames = Object.keys(rollingFaultTitles) as RollingFaultName[]
