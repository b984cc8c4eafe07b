/** `sluice schemas` and its commands; the code of a command is loaded only when it runs. */
import type { Command } from 'commander'
import type { Surroundings } from '../surroundings.ts'

export function addSchemas(program: Command, { environment, write }: Surroundings): void {
  const schemas = program.command('schemas').description('the Avro schemas of the topics')

  schemas
    .command('register')
    .description('register them in the registry and set their compatibility')
    .action(async () => {
      const { registerSchemas } = await import('../commands/register-schemas.ts')
      await registerSchemas(environment, write)
    })

  schemas
    .command('check')
    .description('see whether each version may follow those before it, without a registry')
    .action(async () => {
      const { checkSchemas } = await import('../commands/check-schemas.ts')
      checkSchemas(write)
    })

  schemas
    .command('asyncapi')
    .description('print the AsyncAPI document of the topics, without any service')
    .action(async () => {
      const { printAsyncapi } = await import('../commands/print-asyncapi.ts')
      printAsyncapi(environment, write)
    })
}
