/** `sluice bootstrap` and its options; the code of the command is loaded only when it runs. */
import type { Command } from 'commander'
import type { BootstrapOptions } from '../accounts/bootstrap-request.ts'
import { parseEnv, parseName, parsePoints, parseScopes } from '../parse-option.ts'
import type { Surroundings } from '../surroundings.ts'
import { argument } from './argument.ts'

export function addBootstrap(program: Command, { environment, write }: Surroundings): void {
  program
    .command('bootstrap')
    .description('create an organization with a login and an API key, unless they are there')
    .option('--organization <name>', 'name of the organization', argument(parseName))
    .option('--email <email>', 'login of its owner')
    .option('--password <password>', 'password of that login')
    .option('--add-key', 'make one more key where the email is known')
    .option('--key-env <env>', 'environment named in the key', argument(parseEnv), 'local')
    .option('--scopes <scopes>', 'scopes of the key, separated by commas', argument(parseScopes), [
      'ingest',
      'evaluation:read'
    ])
    .option(
      '--rate-limit <n>',
      'decisions the organization may send in a window',
      argument(parsePoints)
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nWhat is not given is taken from BOOTSTRAP_ORGANIZATION, BOOTSTRAP_EMAIL and\n' +
        'BOOTSTRAP_PASSWORD; BOOTSTRAP_API_KEY is a key that there is to be.'
    )
    .action(async (options: BootstrapOptions) => {
      const { bootstrap } = await import('../commands/bootstrap.ts')
      await bootstrap(environment, options, write)
    })
}
