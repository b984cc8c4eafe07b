/** Jest configuration, with one project for each kind of test. There is no transformer, because
 * Node strips the types itself.
 */
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
    // These tests need only Node.
    project('unit', '*.test.ts', 'unit/**/*.test.ts'),
    // These tests need the local stack, which `npm test` starts and test/support/services.ts finds.
    project('contract', 'contract/**/*.test.ts'),
    project('integration', 'integration/**/*.test.ts'),
    project('sdk', 'sdk/**/*.test.ts'),
    project('e2e', 'e2e/**/*.test.ts'),
    project('console', 'console/**/*.test.ts'),
    project('pages', 'pages/**/*.test.ts'),
    // These tests pause or kill shared services, so their files run one at a time.
    project('outages', 'outages/**/*.test.ts'),
    project('faults', 'faults/**/*.test.ts'),
    // These tests require Python in addition to the stack, so they run only on request.
    project('openapi', 'openapi/**/*.test.ts'),
    // These tests need no stack. They download or build the tools that check the deployment files.
    project('deploy', 'deploy/**/*.test.ts'),
    // These tests start docker-compose.yml, so they run only on request.
    project('compose', 'compose/**/*.test.ts'),
    // These tests download Bun and Deno, so they run only on request.
    project('runtimes', 'runtimes/**/*.test.ts')
  ],
  // By default, Jest keeps its cache in /tmp, where other users could write files that Jest then
  // executes.
  cacheDirectory: '<rootDir>/node_modules/.cache/jest',
  testSequencer: './test/support/runner/sequencer.js',
  // A broker answers in milliseconds, but joining a group and starting a process take seconds.
  testTimeout: 180_000
}
