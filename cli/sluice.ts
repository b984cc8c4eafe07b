/** `sluice`: the command line of an operator. */
import { Command, Option } from 'commander'
import { rootMessageOf } from '../core/root-message.ts'
import { ConfigError } from '../platform/config.ts'
import { applyTopics } from './commands/apply-topics.ts'
import { createKey } from './commands/create-key.ts'
import type { CreateKeyOptions } from './commands/create-key.ts'
import { listKeys } from './commands/list-keys.ts'
import type { ListKeysOptions } from './commands/list-keys.ts'
import { migrateDatabase } from './commands/migrate-database.ts'
import { checkSchemas } from './commands/check-schemas.ts'
import { registerSchemas } from './commands/register-schemas.ts'
import { revokeKey } from './commands/revoke-key.ts'
import type { RevokeKeyOptions } from './commands/revoke-key.ts'
import { rotateKey } from './commands/rotate-key.ts'
import type { RotateKeyOptions } from './commands/rotate-key.ts'
import { localEnvironment } from './local-environment.ts'
import {
  parseCopies,
  parseDuration,
  parseEnv,
  parseKeyId,
  parseName,
  parsePoints,
  parseScopes
} from './parse-option.ts'
import { addAudit } from './program/add-audit.ts'
import { addBootstrap } from './program/add-bootstrap.ts'
import { addDlq } from './program/add-dlq.ts'
import { addTail } from './program/add-tail.ts'
import { argument } from './program/argument.ts'
import type { Surroundings } from './program/argument.ts'

const exitFailure = 1
const exitConfig = 78

function createProgram(): Command {
  const environment = localEnvironment(process.env)
  const write = (line: string): void => void process.stdout.write(`${line}\n`)
  const program = new Command('sluice')
    .description('The ingestion gateway for AI-agent decisions: what an operator does with it.')
    .showHelpAfterError('Add --help to the command for what it takes.')
    .addHelpText(
      'after',
      '\nAddresses come from the environment, else from a local stack started here.'
    )

  program
    .command('migrate')
    .description('apply the SQL migrations that are not applied yet')
    .action(() => migrateDatabase(environment, write))

  program
    .command('topics')
    .description('topics of the log')
    .command('apply')
    .description('create the topics, or bring them up to their definition')
    .option('--replication-factor <n>', 'copies of each partition', argument(parseCopies), 1)
    .action(({ replicationFactor }: { replicationFactor: number }) =>
      applyTopics(environment, { replicationFactor, write })
    )

  addSchemas(program, { environment, write })

  addBootstrap(program, { environment, write })
  addKeys(program, { environment, write })
  addTail(program, { environment, write })
  addDlq(program, { environment, write })
  addAudit(program, { environment, write })
  return program
}

function addSchemas(program: Command, { environment, write }: Surroundings): void {
  const schemas = program.command('schemas').description('the Avro schemas of the topics')

  schemas
    .command('register')
    .description('register them in the registry and set their compatibility')
    .action(() => registerSchemas(environment, write))

  schemas
    .command('check')
    .description('see whether each version may follow those before it, without a registry')
    .action(() => checkSchemas(write))
}

function addKeys(program: Command, { environment, write }: Surroundings): void {
  const keys = program.command('keys').description('API keys: create, list, rotate, revoke')

  keys
    .command('create')
    .description('make a key for an organization, and show it this once')
    .requiredOption('--organization <id>', 'id of the organization, or its name')
    .requiredOption('--name <name>', 'what the key is for', argument(parseName))
    .option('--scopes <scopes>', 'what it may do, separated by commas', argument(parseScopes), [
      'ingest'
    ])
    .option(
      '--expires <duration>',
      'how long it is valid, such as 90d; for ever without',
      argument(parseDuration)
    )
    .option('--rate-limit <n>', 'decisions it may send in a window', argument(parsePoints))
    .option('--env <env>', 'environment named in the key', argument(parseEnv), 'live')
    .option('--json', 'print one JSON object')
    .action((options: CreateKeyOptions) => createKey(environment, options, write))

  keys
    .command('list')
    .description('show the keys there are, without their secrets')
    .option('--organization <id>', 'only of this organization, by id or name')
    .option('--json', 'print one JSON array')
    .action((options: ListKeysOptions) => listKeys(environment, options, write))

  addKeyEnds(keys, { environment, write })
}

function addKeyEnds(keys: Command, { environment, write }: Surroundings): void {
  keys
    .command('rotate')
    .description('make a key that takes the place of another, which goes on for a while')
    .argument('<key-id>', 'the old key: the 12 characters after slk_live_')
    .addOption(
      new Option('--grace <duration>', 'how long the old key goes on')
        .argParser(argument(parseDuration))
        .default(parseDuration('24h'), '24h')
    )
    .option(
      '--expires <duration>',
      'how long the new one is valid; else as long as the old',
      argument(parseDuration)
    )
    .option('--json', 'print one JSON object')
    .action((keyId: string, options: RotateKeyOptions) =>
      rotateKey(environment, { keyId: parseKeyId(keyId), options }, write)
    )

  keys
    .command('revoke')
    .description('end a key now, everywhere')
    .argument('<key-id>', 'the 12 characters after slk_live_')
    .option('--json', 'print one JSON object')
    .action((keyId: string, options: RevokeKeyOptions) =>
      revokeKey(environment, { keyId: parseKeyId(keyId), options }, write)
    )
}

try {
  await createProgram().parseAsync()
} catch (error) {
  process.stderr.write(`sluice: ${rootMessageOf(error)}\n`)
  process.exitCode = error instanceof ConfigError ? exitConfig : exitFailure
}
