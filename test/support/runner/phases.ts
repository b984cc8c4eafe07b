/** The phases of a test run: what each needs, when it runs, and beside which others. */

/** Tests that run beside each other, or one file at a time since they stop what others use. */
type Round = 'together' | 'alone'

export type Phase = {
  /** For `npm test -- --help`. */
  readonly about: string
  readonly round: Round
  /** Uses Kafka, a schema registry, Redis and Postgres. */
  readonly needsStack: boolean
  /** `changed` leaves a phase out while `inputs` are as they were when it last passed here. */
  readonly runs: 'always' | 'changed' | 'asked'
  readonly inputs?: readonly string[]
}

function together(about: string, needsStack: boolean): Phase {
  return { about, round: 'together', needsStack, runs: 'always' }
}

function alone(about: string): Phase {
  return { about, round: 'alone', needsStack: true, runs: 'always' }
}

function asked(about: string, needsStack: boolean): Phase {
  return { about, round: 'alone', needsStack, runs: 'asked' }
}

/** What every phase is made of that is about packages or pages. */
const shared = ['package-lock.json', 'schemas/', 'test/support/']

export const phases = {
  check: together('form, types, lint rules, imports and schemas', false),
  unit: together('tests that need nothing but Node', false),
  contract: together('the clients against real services, fault by fault', true),
  integration: together('one room against real services', true),
  e2e: together('the whole system as real processes', true),
  sdk: {
    ...together('both SDKs against a gateway and against servers that misbehave', true),
    runs: 'changed',
    inputs: [...shared, 'sdk/', 'gateway/ingest/', 'http/', 'test/sdk/']
  },
  pages: {
    ...together('the examples of the documentation, executed', true),
    runs: 'changed',
    inputs: [...shared, 'docs/', 'api/', 'cli/', 'deploy/readers/', 'test/pages/']
  },
  deploy: {
    ...alone('chart, alerts and dashboards, rendered and validated (Go and Python)'),
    // The first run builds helm and promtool, with all there is of the machine.
    needsStack: false,
    runs: 'changed',
    inputs: [
      ...shared,
      ...['deploy/', 'docker-compose.yml', '.dockerignore', '.github/', 'CHANGELOG.md', 'docs/'],
      ...['platform/config/', 'platform/telemetry/', 'gateway/config.ts', 'consumers/config.ts'],
      'test/deploy/'
    ]
  },
  outages: alone('services frozen or killed beneath running processes'),
  faults: alone('what was acknowledged is stored, whatever breaks; all faults with --all'),
  openapi: asked('the routes against their document, by Schemathesis (Python)', true),
  runtimes: asked('the packed TypeScript SDK on Bun, Deno and an edge host (200 MB)', false),
  compose: asked('docker-compose.yml brought up with Prometheus (Docker)', false)
} satisfies Record<string, Phase>

export type PhaseName = keyof typeof phases

export const phaseNames = Object.keys(phases) as PhaseName[]

export function phaseOf(name: PhaseName): Phase {
  return phases[name]
}

/** test/e2e/logs.test.ts belongs to e2e, test/tidy.test.ts to unit. */
export function phaseOfPath(path: string): PhaseName {
  const folder = path.replace(/^[.]\//, '').split('/')[1]
  return phaseNames.find((name) => name === folder) ?? 'unit'
}
