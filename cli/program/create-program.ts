/** Every command of `sluice`; to add one, add a file to this folder and a line here. */
import { Command } from 'commander'
import { parseCopies } from '../parse-option.ts'
import type { Surroundings } from '../surroundings.ts'
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

export function createProgram(surroundings: Surroundings): Command {
  const { environment, write } = surroundings
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
      const { migrateDatabase } = await import('../commands/migrate-database.ts')
      await migrateDatabase(environment, write)
    })

  program
    .command('topics')
    .description('topics of the log')
    .command('apply')
    .description('create the topics, or bring them up to their definition')
    .option('--replication-factor <n>', 'copies of each partition', argument(parseCopies), 1)
    .action(async ({ replicationFactor }: { replicationFactor: number }) => {
      const { applyTopics } = await import('../commands/apply-topics.ts')
      await applyTopics(environment, { replicationFactor, write })
    })

  const daily = [addSchemas, addBootstrap, addKeys, addTail, addDlq, addAudit]
  const groups = [...daily, addErase, addRewind, addSizing]
  for (const add of groups) add(program, surroundings)
  return program
}
