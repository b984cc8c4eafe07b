/** The house rules that a linter can see; form is prettier's, imports are dependency-cruiser's. */
import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'

const typescript = ['**/*.ts']
const plain = ['**/*.js', '**/*.mjs', '**/*.cjs']
const tests = ['test/**/*.ts']
/**
 * Programs, and the edge they share: only here are environment and signals read, and exits made.
 */
const programs = ['**/main.ts', 'platform/process/process.ts', 'cli/**/*.ts', 'stack/**/*.ts']

function ban(selector, message) {
  return { selector, message }
}

const environment = ban(
  "MemberExpression[object.name='process'][property.name='env']",
  'Only programs see the environment: take the setting from platform/config/config.ts.'
)
const ending = ban(
  "MemberExpression[object.name='process'][property.name=/^(exit|abort|kill|on|once)$/]",
  'Only programs hear signals and end the process: throw, or register with the lifecycle.'
)
const wallClock = [
  ban(
    "MemberExpression[object.name='Date'][property.name='now']",
    'Ask the clock you were given, so that a test can own the time.'
  ),
  ban('NewExpression[callee.name="Date"][arguments.length=0]', 'Ask the clock you were given.')
]
const chance = ban(
  "MemberExpression[object.name='Math'][property.name='random']",
  'Take a random number as a parameter, so that a test can choose it.'
)
const mocks = ban(
  "MemberExpression[object.name='jest'][property.name=/^(mock|doMock|unstable_mockModule)$/]",
  'Give it a small fake that keeps state; modules are not mocked here.'
)
const focus = ban(
  "MemberExpression[object.name=/^(test|describe|it)$/][property.name='only']",
  'Left over from a debugging session: every test runs.'
)
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
  message: 'Tests run beside this one on the same services: move it to test/outages/.'
}

const sizes = {
  'max-lines': ['error', { max: 250 }],
  'max-lines-per-function': ['error', { max: 50, skipBlankLines: true, skipComments: true }],
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
  // An interface may be asynchronous where one of its implementations is not.
  '@typescript-eslint/require-await': 'off',
  // What createX returns is made of closures: none of its functions knows a `this`.
  '@typescript-eslint/unbound-method': 'off'
}

export default defineConfig(
  { ignores: ['node_modules/', '.sluice/', 'coverage/', 'sdk/*/dist/'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: typescript,
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    rules: { ...typed, 'no-restricted-syntax': ['error', environment, ending, ...wallClock] }
  },
  {
    files: plain,
    rules: { ...everywhere, 'no-restricted-exports': 'off' }
  },
  { files: ['core/**/*.ts'], rules: restricted(environment, ending, ...wallClock, chance) },
  // A client lives in somebody else's process and asks the platform for time, chance and settings.
  { files: ['sdk/**/*.ts'], rules: { 'no-restricted-syntax': 'off' } },
  { files: ['platform/process/clock.ts'], rules: restricted(environment, ending, chance) },
  { files: ['platform/config/config.ts'], rules: restricted(ending, ...wallClock) },
  { files: [...programs, 'bench/**/*.ts'], rules: restricted(...wallClock) },
  {
    files: tests,
    rules: {
      ...restricted(mocks, focus),
      'max-lines': ['error', { max: 400 }],
      'max-lines-per-function': 'off'
    }
  },
  {
    files: ['test/**/*.test.ts'],
    rules: {
      ...restricted(mocks, focus, chance, ...sleeps),
      // The columns of a table of cases are parameters.
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
