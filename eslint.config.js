/** ESLint configuration. Prettier checks the formatting, and dependency-cruiser checks the imports.
 */
import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'

const typescript = ['**/*.ts', '**/*.tsx']
const plain = ['**/*.js', '**/*.mjs', '**/*.cjs']
const tests = ['test/**/*.ts']
/** Programs and the files they share. They may read the environment, handle signals and exit. */
const programs = ['**/main.ts', 'platform/process/process.ts', 'cli/**/*.ts', 'stack/**/*.ts']

function ban(selector, message) {
  return { selector, message }
}

const environment = ban(
  "MemberExpression[object.name='process'][property.name='env']",
  'Only programs read the environment: use the setting of platform/config/config.ts.'
)
const ending = ban(
  "MemberExpression[object.name='process'][property.name=/^(exit|abort|kill|on|once)$/]",
  'Only programs handle signals and end the process: throw, or register with the lifecycle.'
)
const wallClock = [
  ban(
    "MemberExpression[object.name='Date'][property.name='now']",
    'Use the clock that was passed in, so that a test can control the time.'
  ),
  ban('NewExpression[callee.name="Date"][arguments.length=0]', 'Use the clock that was passed in.')
]
const chance = ban(
  "MemberExpression[object.name='Math'][property.name='random']",
  'Take a random number as a parameter, so that a test can choose it.'
)
const mocks = ban(
  "MemberExpression[object.name='jest'][property.name=/^(mock|doMock|unstable_mockModule)$/]",
  'Use a small fake that keeps state; tests here mock no modules.'
)
const focus = ban(
  "MemberExpression[object.name=/^(test|describe|it)$/][property.name='only']",
  'Left over from debugging: every test must run.'
)
const spreads = [
  ban('SpreadElement > ObjectExpression', 'Write the members: the spread only saves lines.'),
  ban('ArrayExpression > SpreadElement > ArrayExpression', 'Write the elements.'),
  ban('ArrayExpression > SpreadElement > TSAsExpression > ArrayExpression', 'Write the elements.')
]
const sleeps = [
  ban(
    "CallExpression[callee.name='setTimeout']",
    'Do not sleep: poll with waitUntil, or prove it with a sentinel.'
  ),
  ban(
    "ImportDeclaration[source.value='node:timers/promises']",
    'Do not sleep: poll with waitUntil, or prove it with a sentinel.'
  )
]

const stopsServices = {
  regex: 'support/services[.]ts$',
  importNames: ['pauseService', 'killService'],
  message: 'Other tests use the same services at the same time: move this one to test/outages/.'
}

const sizes = {
  'max-lines': ['error', { max: 500 }],
  'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
  'max-params': ['error', 3],
  'max-depth': ['error', 3],
  complexity: ['error', 10]
}

const everywhere = {
  ...sizes,
  eqeqeq: ['error', 'always'],
  'no-console': 'error',
  'no-eval': 'error',
  'no-new-func': 'error',
  'no-param-reassign': 'error',
  'no-restricted-exports': [
    'error',
    {
      restrictDefaultExports: {
        direct: true,
        named: true,
        defaultFrom: true,
        namedFrom: true,
        namespaceFrom: true
      }
    }
  ],
  'no-unneeded-ternary': 'error',
  'no-useless-return': 'error',
  'object-shorthand': 'error',
  'prefer-const': 'error'
}

const typed = {
  ...everywhere,
  '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'separate-type-imports' }],
  '@typescript-eslint/no-explicit-any': 'error',
  '@typescript-eslint/no-floating-promises': 'error',
  '@typescript-eslint/no-import-type-side-effects': 'error',
  '@typescript-eslint/no-misused-promises': 'error',
  '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
  '@typescript-eslint/only-throw-error': 'error',
  '@typescript-eslint/prefer-readonly': 'error',
  '@typescript-eslint/switch-exhaustiveness-check': [
    'error',
    { considerDefaultExhaustiveForUnions: true }
  ],
  // An implementation of an asynchronous interface may have nothing to await.
  '@typescript-eslint/require-await': 'off',
  // Factories return closures that do not use `this`.
  '@typescript-eslint/unbound-method': 'off'
}

export default defineConfig(
  {
    ignores: [
      'node_modules/',
      '.sluice/',
      'coverage/',
      'sdk/*/dist/',
      'console/dist/',
      'console/dist.next/',
      '**/*.as.ts'
    ]
  },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: typescript,
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: { ...typed, ...restricted(environment, ending, ...wallClock, ...spreads) }
  },
  {
    files: plain,
    rules: { ...everywhere, 'no-restricted-exports': 'off' }
  },
  {
    files: ['core/**/*.ts'],
    rules: restricted(environment, ending, ...wallClock, chance, ...spreads)
  },
  // An SDK runs in its user's process, so it reads time, randomness and settings itself.
  { files: ['sdk/**/*.ts'], rules: { 'no-restricted-syntax': 'off' } },
  // The console runs in a browser, so it reads the time itself.
  { files: ['console/src/**'], rules: restricted(...spreads) },
  {
    files: ['platform/process/clock.ts'],
    rules: restricted(environment, ending, chance, ...spreads)
  },
  { files: ['platform/config/config.ts'], rules: restricted(ending, ...wallClock, ...spreads) },
  { files: [...programs, 'bench/**/*.ts'], rules: restricted(...wallClock, ...spreads) },
  {
    files: tests,
    rules: {
      ...restricted(mocks, focus),
      'max-lines-per-function': 'off'
    }
  },
  {
    files: ['test/**/*.test.ts'],
    rules: {
      ...restricted(mocks, focus, chance, ...sleeps),
      // The columns of a table of test cases become parameters.
      'max-params': 'off'
    }
  },
  {
    files: ['test/**/*.test.ts'],
    ignores: ['test/outages/**', 'test/faults/**'],
    rules: { 'no-restricted-imports': ['error', { patterns: [stopsServices] }] }
  }
)

function restricted(...selectors) {
  return { 'no-restricted-syntax': ['error', ...selectors] }
}
