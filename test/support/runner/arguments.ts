/** What `npm test` was asked to run: phases by name, or tests by path. */

/** In the order in which they run: the fast ones first, so that most mistakes show soon. */
export const phaseNames = [
  'check',
  'unit',
  'runtimes',
  'deploy',
  'compose',
  'contract',
  'integration',
  'sdk',
  'e2e',
  'faults',
  'openapi'
] as const
export type PhaseName = (typeof phaseNames)[number]

/** Run only when they are named, since they need more than the rest. */
const askedPhases: readonly PhaseName[] = ['openapi', 'runtimes', 'compose']

/** Need no Kafka, schema registry, Redis or Postgres. */
export const stacklessPhases = ['check', 'unit', 'runtimes', 'deploy', 'compose'] as const
type StacklessPhase = (typeof stacklessPhases)[number]

export function needsStack(phase: PhaseName): phase is Exclude<PhaseName, StacklessPhase> {
  return !stacklessPhases.some((each) => each === phase)
}

export type Plan = {
  phases: PhaseName[]
  /** Path patterns for jest; empty means every test of the phase. */
  filters: string[]
}

export const helpText = `npm test                            everything
npm test -- unit contract           these phases: ${phaseNames.join(', ')}
npm test -- test/e2e/ingest         test files whose path begins so, in the phase they belong to
npm test -- --help                  this text

check        form, types, rules and imports
unit         tests that need nothing but Node
runtimes     the packed TypeScript SDK on Bun, Deno and an edge host; only when asked (200 MB)
deploy       the chart, alerts and dashboards, rendered and judged (Go and Python, else left out)
compose      docker-compose.yml brought up with Prometheus; only when asked (Docker)
contract     the clients against real services, fault by fault
integration  one room against real services
sdk          both SDKs against a gateway and against servers that misbehave
e2e          the whole, as real processes
faults       what was acknowledged is there, whatever breaks; npm run test:faults is its long form
openapi      the routes against their document, by Schemathesis; only when asked (Python)

All but ${stacklessPhases.join(', ')} start Kafka, a schema registry, Redis and Postgres of their
own, and stop them. SLUICE_STACK=native, docker or external chooses how.
`

function phaseOfPath(path: string): PhaseName {
  const folder = path.replace(/^[.]\//, '').split('/')[1]
  return phaseNames.find((name) => name === folder) ?? 'unit'
}

/** @throws with a sentence when an argument is neither a phase nor a path below test/. */
export function planOf(args: readonly string[]): Plan {
  const filters = args.filter((arg) => /^([.]\/)?test\//.test(arg))
  const names = args.filter((arg) => !filters.includes(arg))
  const unknown = names.filter((name) => !phaseNames.some((phase) => phase === name))
  if (unknown.length > 0) {
    throw new Error(`${unknown.join(', ')}: neither a phase nor a path below test/ (try --help)`)
  }
  const wanted = new Set([...names, ...filters.map(phaseOfPath)])
  const isWanted = (name: PhaseName): boolean =>
    wanted.size === 0 ? !askedPhases.includes(name) : wanted.has(name)
  const phases = phaseNames.filter(isWanted)
  return { phases, filters: filters.map((filter) => filter.replace(/^[.]\//, '')) }
}

/** The filters that concern a phase; a phase that was also named runs whole. */
export function filtersOf({ filters }: Plan, phase: PhaseName): string[] {
  return filters.filter((filter) => phaseOfPath(filter) === phase)
}
