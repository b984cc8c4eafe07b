/** Defines the phases of a test run: their tests, dependencies and order. */
import { gateForm } from '../../faults/settings.ts'

/** `alone` runs one test file at a time, for example because the tests stop shared services. */
type Round = 'together' | 'alone'

export type Phase = {
  /** Description in the output of `npm test -- --help`. */
  readonly about: string
  readonly round: Round
  /** True if the tests use Kafka, the schema registry, Redis or Postgres. */
  readonly needsStack: boolean
  /**
   * `changed` skips the phase if its `inputs` have not changed since it last passed on this
   * machine. `asked` runs it only if it is named.
   */
  readonly runs: 'always' | 'changed' | 'asked'
  readonly inputs?: readonly string[]
  /** Test files that the gate runs, if not all. `npm run test:all` runs the rest. */
  readonly gateFiles?: readonly string[]
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

/** Inputs that several phases have in common. */
const shared = ['package.json', 'package-lock.json', 'jest.config.js', 'schemas/', 'test/support/']

export const phases = {
  check: together('formatting, types, lint rules, imports and schemas', false),
  unit: together('tests that need only Node', false),
  contract: together('clients against real services, including faults', true),
  integration: together('one module against real services', true),
  e2e: together('the whole system as real processes', true),
  sdk: {
    ...together('both SDKs against a gateway and against faulty servers', true),
    runs: 'changed',
    inputs: [...shared, 'sdk/', 'LICENSE', 'gateway/ingest/', 'http/', 'test/sdk/', 'test/docs/']
  },
  console: {
    ...together('the web console in a real browser; all pages with --all', true),
    runs: 'changed',
    inputs: [...shared, 'console/', 'core/', 'http/', 'auth/', 'api/', 'test/console/'],
    gateFiles: ['json-view', 'pages', 'round-trip', 'session', 'url-state'].map(
      (name) => `test/console/${name}.test.ts`
    )
  },
  pages: {
    ...together('the examples of the documentation, executed', true),
    runs: 'changed',
    inputs: [
      ...shared,
      ...['docs/', 'api/', 'cli/', 'sdk/', 'deploy/readers/', 'gateway/otlp/', 'bench/collector/'],
      'test/pages/'
    ]
  },
  deploy: {
    ...alone('chart, alerts and dashboards, rendered and validated (Go and Python)'),
    // These tests run alone because the first run builds Helm and promtool, which uses every core.
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
  outages: alone('services suspended or killed while Sluice runs'),
  faults: {
    ...alone('services broken under load without loss of acknowledged decisions; all with --all'),
    gateFiles: gateForm.files
  },
  openapi: asked('every route against the OpenAPI document, by Schemathesis (Python)', true),
  runtimes: asked('the packed TypeScript SDK on Bun, Deno and an edge host (200 MB)', false),
  compose: asked('docker compose up with Prometheus (Docker)', false)
} satisfies Record<string, Phase>

export type PhaseName = keyof typeof phases

export const phaseNames = Object.keys(phases) as PhaseName[]

export function phaseOf(name: PhaseName): Phase {
  return phases[name]
}

/**
 * Returns the phase of a test path: `e2e` for test/e2e/logs.test.ts, `unit` for test/tidy.test.ts.
 */
export function phaseOfPath(path: string): PhaseName {
  const folder = path.replace(/^[.]\//, '').split('/')[1]
  return phaseNames.find((name) => name === folder) ?? 'unit'
}
