/** `sluice schemas` and its commands. */
import type { Command } from 'commander'
import { checkSchemas } from '../commands/check-schemas.ts'
import { printAsyncapi } from '../commands/print-asyncapi.ts'
import { registerSchemas } from '../commands/register-schemas.ts'
import type { Surroundings } from '../surroundings.ts'

export function addSchemas(program: Command, { environment, write }: Surroundings): void {
  const schemas = program.command('schemas').description('the Avro schemas of the topics')

  schemas
    .command('register')
    .description('register them in the registry and set their compatibility')
    .action(() => registerSchemas(environment, write))

  schemas
    .command('check')
    .description('see whether each version may follow those before it, without a registry')
    .action(() => checkSchemas(write))

  schemas
    .command('asyncapi')
    .description('print the AsyncAPI document of the topics, without any service')
    .action(() => printAsyncapi(environment, write))
}
