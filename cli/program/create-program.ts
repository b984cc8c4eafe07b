/** Defines the command line. To add a command, define it in a new file of this folder and call its
 * function here.
 */
import { Command } from 'commander'
import { parseCopies } from '../parse-option.ts'
import type { CommandContext } from '../command-context.ts'
import { addAudit } from './add-audit.ts'
import { addBootstrap } from './add-bootstrap.ts'
import { addDlq } from './add-dlq.ts'
import { addErase } from './add-erase.ts'
import { addKeys } from './add-keys.ts'
import { addRewind } from './add-rewind.ts'
import { addSchemas } from './add-schemas.ts'
import { addSizing } from './add-sizing.ts'
import { addTail } from './add-tail.ts'
import { argument } from './argument.ts'

export function createProgram(context: CommandContext): Command {
  const { environment, write } = context
  const program = new Command('sluice')
    .description('Operate Sluice, the ingestion gateway for AI-agent decisions.')
    .showHelpAfterError('Add --help for usage.')
    .exitOverride()
    .addHelpText(
      'after',
      '\nSettings are read from the environment. Addresses and secrets that are not set are\n' +
        'taken from the local stack that npm start created.'
    )

  program
    .command('migrate')
    .description('apply pending SQL migrations')
    .action(async () => {
      const { migrateDatabase } = await import('../commands/migrate-database.ts')
      await migrateDatabase(environment, write)
    })

  program
    .command('topics')
    .description('manage the Kafka topics')
    .command('apply')
    .description('create the topics, or update them to match their definition')
    .option('--replication-factor <n>', 'replicas of each partition', argument(parseCopies), 1)
    .action(async ({ replicationFactor }: { replicationFactor: number }) => {
      const { applyTopics } = await import('../commands/apply-topics.ts')
      await applyTopics(environment, { replicationFactor, write })
    })

  const daily = [addSchemas, addBootstrap, addKeys, addTail, addDlq, addAudit]
  const groups = [...daily, addErase, addRewind, addSizing]
  for (const add of groups) add(program, context)
  return program
}
