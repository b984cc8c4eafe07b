/** The kinds of test; Node strips the types itself, so there is no transformer. */
const shared = {
  testEnvironment: 'node',
  transform: {},
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  modulePathIgnorePatterns: ['<rootDir>/.sluice/']
}

function project(displayName, ...testMatch) {
  return {
    ...shared,
    displayName,
    testMatch: testMatch.map((pattern) => `<rootDir>/test/${pattern}`)
  }
}

export default {
  projects: [
    // Need nothing but Node.
    project('unit', '*.test.ts', 'unit/**/*.test.ts'),
    // Need the local stack, which `npm test` starts; test/support/services.ts tells where it is.
    project('contract', 'contract/**/*.test.ts'),
    project('integration', 'integration/**/*.test.ts'),
    project('sdk', 'sdk/**/*.test.ts'),
    project('e2e', 'e2e/**/*.test.ts'),
    project('pages', 'pages/**/*.test.ts'),
    // Freeze or kill shared services, so their files run one at a time.
    project('outages', 'outages/**/*.test.ts'),
    project('faults', 'faults/**/*.test.ts'),
    // Needs Python as well, so it runs only when asked.
    project('openapi', 'openapi/**/*.test.ts'),
    // Needs no stack; builds and fetches what renders and judges it, once.
    project('deploy', 'deploy/**/*.test.ts'),
    // Brings docker-compose.yml up, so it runs only when asked.
    project('compose', 'compose/**/*.test.ts'),
    // Fetches Bun and Deno, so it runs only when asked.
    project('runtimes', 'runtimes/**/*.test.ts')
  ],
  // In /tmp, where jest would keep it, others may write, and what lies there is executed.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  testSequencer: './test/support/runner/sequencer.js',
  // A real broker answers in milliseconds, but a group joins and a process starts in seconds.
  testTimeout: 180_000
}
