/** `sluice`: the command line of an operator. */
import { Command, CommanderError } from 'commander'
import { rootMessageOf } from '../core/root-message.ts'
import { ConfigError } from '../platform/config/config.ts'
import { endWhenTold } from './end-when-told.ts'
import { localEnvironment } from './local-environment.ts'
import { outliveReader } from './output.ts'
import { parseCopies } from './parse-option.ts'
import { addAudit } from './program/add-audit.ts'
import { addBootstrap } from './program/add-bootstrap.ts'
import { addDlq } from './program/add-dlq.ts'
import { addErase } from './program/add-erase.ts'
import { addKeys } from './program/add-keys.ts'
import { addRewind } from './program/add-rewind.ts'
import { addSchemas } from './program/add-schemas.ts'
import { addSizing } from './program/add-sizing.ts'
import { addTail } from './program/add-tail.ts'
import { argument } from './program/argument.ts'

const exitFailure = 1
const exitUsage = 2
const exitConfig = 78

function createProgram(): Command {
  const environment = localEnvironment(process.env)
  const write = (line: string): void => void process.stdout.write(`${line}\n`)
  const tell = (line: string): void => void process.stderr.write(`${line}\n`)
  const program = new Command('sluice')
    .description('The ingestion gateway for AI-agent decisions: what an operator does with it.')
    .showHelpAfterError('Add --help to the command for what it takes.')
    .exitOverride()
    .addHelpText(
      'after',
      '\nAddresses come from the environment, else from a local stack started here.'
    )

  program
    .command('migrate')
    .description('apply the SQL migrations that are not applied yet')
    .action(async () => {
      const { migrateDatabase } = await import('./commands/migrate-database.ts')
      await migrateDatabase(environment, write)
    })

  program
    .command('topics')
    .description('topics of the log')
    .command('apply')
    .description('create the topics, or bring them up to their definition')
    .option('--replication-factor <n>', 'copies of each partition', argument(parseCopies), 1)
    .action(async ({ replicationFactor }: { replicationFactor: number }) => {
      const { applyTopics } = await import('./commands/apply-topics.ts')
      await applyTopics(environment, { replicationFactor, write })
    })

  const daily = [addSchemas, addBootstrap, addKeys, addTail, addDlq, addAudit]
  const groups = [...daily, addErase, addRewind, addSizing]
  for (const add of groups) add(program, { environment, write, tell })
  return program
}

/** What commander throws it has told already, help included. */
function endWith(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitUsage
  process.stderr.write(`sluice: ${rootMessageOf(error)}\n`)
  return error instanceof ConfigError ? exitConfig : exitFailure
}

// The first process of a container is deaf to signals that it does not listen to.
if (process.pid === 1) endWhenTold()
for (const stream of [process.stdout, process.stderr]) outliveReader(stream)
try {
  await createProgram().parseAsync()
} catch (error) {
  process.exitCode = endWith(error)
}
