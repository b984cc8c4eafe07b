/** The phases of a test run: what each needs, when it runs, and whether it runs in parallel. */

/** In parallel, or one file at a time because the tests stop shared services. */
type Round = 'together' | 'alone'

export type Phase = {
  /** For `npm test -- --help`. */
  readonly about: string
  readonly round: Round
  /** Uses Kafka, a schema registry, Redis and Postgres. */
  readonly needsStack: boolean
  /** `changed` skips a phase while its `inputs` are unchanged since it last passed here. */
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

/** Inputs that the phases of packages and pages share. */
const shared = ['package.json', 'package-lock.json', 'jest.config.js', 'schemas/', 'test/support/']

export const phases = {
  check: together('formatting, types, lint rules, imports and schemas', false),
  unit: together('tests that need only Node', false),
  contract: together('the clients against real services, fault by fault', true),
  integration: together('one room against real services', true),
  e2e: together('the whole system as real processes', true),
  sdk: {
    ...together('both SDKs against a gateway and against servers that misbehave', true),
    runs: 'changed',
    inputs: [...shared, 'sdk/', 'LICENSE', 'gateway/ingest/', 'http/', 'test/sdk/', 'test/docs/']
  },
  pages: {
    ...together('the examples of the documentation, executed', true),
    runs: 'changed',
    inputs: [...shared, 'docs/', 'api/', 'cli/', 'sdk/', 'deploy/readers/', 'test/pages/']
  },
  deploy: {
    ...alone('chart, alerts and dashboards, rendered and validated (Go and Python)'),
    // The first run builds helm and promtool, which takes every core.
    needsStack: false,
    runs: 'changed',
    inputs: [
      ...shared,
      ...['deploy/', 'docker-compose.yml', '.dockerignore', '.github/', 'CHANGELOG.md', 'docs/'],
      ...['platform/config/', 'platform/telemetry/', 'gateway/config.ts', 'consumers/config.ts'],
      ...[
        'http/server.ts',
        'cli/commands/',
        'sdk/',
        'stack/docker/',
        'platform/kafka/',
        'test/docs/'
      ],
      'test/deploy/'
    ]
  },
  outages: alone('services frozen or killed while our processes run'),
  faults: alone('services broken under load: nothing acknowledged is lost; all with --all'),
  openapi: asked('every route against the OpenAPI document, by Schemathesis (Python)', true),
  runtimes: asked('the packed TypeScript SDK on Bun, Deno and an edge host (200 MB)', false),
  compose: asked('docker compose up with Prometheus (Docker)', false)
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
