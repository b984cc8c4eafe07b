/** Defines `sluice schemas` and its commands. Loads the code of a command only when it runs. */
import type { Command } from 'commander'
import type { CommandContext } from '../command-context.ts'

export function addSchemas(program: Command, { environment, write }: CommandContext): void {
  const schemas = program
    .command('schemas')
    .description('register and check the Avro schemas of the topics')

  schemas
    .command('register')
    .description('register the schemas in the schema registry and set their compatibility level')
    .action(async () => {
      const { registerSchemas } = await import('../commands/register-schemas.ts')
      await registerSchemas(environment, write)
    })

  schemas
    .command('check')
    .description(
      'check that each schema version is compatible with all earlier ones (needs no services)'
    )
    .action(async () => {
      const { checkSchemas } = await import('../commands/check-schemas.ts')
      checkSchemas(write)
    })

  schemas
    .command('asyncapi')
    .description('print the AsyncAPI document of the topics (needs no services)')
    .action(async () => {
      const { printAsyncapi } = await import('../commands/print-asyncapi.ts')
      printAsyncapi(environment, write)
    })
}
