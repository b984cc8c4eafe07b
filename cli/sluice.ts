/** `sluice`: the command line of an operator. */
import { Command } from 'commander'
import { ConfigError } from '../platform/config.ts'
import { applyTopics } from './commands/apply-topics.ts'
import { bootstrap } from './commands/bootstrap.ts'
import { migrateDatabase } from './commands/migrate-database.ts'
import { registerSchemas } from './commands/register-schemas.ts'
import { localEnvironment } from './local-environment.ts'

const exitFailure = 1
const exitConfig = 78

function createProgram(): Command {
  const environment = localEnvironment(process.env)
  const write = (line: string): void => void process.stdout.write(`${line}\n`)
  const program = new Command('sluice')
    .description('The ingestion gateway for AI-agent decisions: what an operator does with it.')
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
    .option('--replication-factor <n>', 'copies of each partition', '1')
    .action((options: { replicationFactor: string }) =>
      applyTopics(environment, { replicationFactor: Number(options.replicationFactor), write })
    )

  program
    .command('schemas')
    .description('schemas in the registry')
    .command('register')
    .description('register the Avro schemas and set their compatibility')
    .action(() => registerSchemas(environment, write))

  program
    .command('bootstrap')
    .description('create an organization with a login and an API key')
    .requiredOption('--organization <name>', 'name of the organization')
    .requiredOption('--email <email>', 'login of its owner')
    .requiredOption('--password <password>', 'password of that login')
    .option('--key-env <env>', 'environment named in the key, a-z and 0-9', 'local')
    .option('--scopes <scopes>', 'scopes of the key, separated by commas', 'ingest,evaluation:read')
    .option('--rate-limit <n>', 'decisions the organization may send in a window')
    .option('--json', 'print one JSON object')
    .action((options: Parameters<typeof bootstrap>[1]) => bootstrap(environment, options, write))

  return program
}

try {
  await createProgram().parseAsync()
} catch (error) {
  process.stderr.write(`sluice: ${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = error instanceof ConfigError ? exitConfig : exitFailure
}
