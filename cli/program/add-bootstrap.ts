/** Defines `sluice bootstrap` and its options. Loads the code of the command only when it runs. */
import type { Command } from 'commander'
import type { BootstrapOptions } from '../accounts/bootstrap-request.ts'
import { parseEnv, parseName, parsePoints, parseScopes } from '../parse-option.ts'
import type { CommandContext } from '../command-context.ts'
import { argument } from './argument.ts'

export function addBootstrap(program: Command, { environment, write }: CommandContext): void {
  program
    .command('bootstrap')
    .description('create an organization with a user and an API key, unless they exist')
    .option('--organization <name>', 'name of the organization', argument(parseName))
    .option('--email <email>', 'email of its owner')
    .option('--password <password>', 'password of its owner')
    .option('--add-key', 'create another API key if the email is registered')
    .option(
      '--key-env <env>',
      'environment part of the key, as in slk_live_',
      argument(parseEnv),
      'local'
    )
    .option('--scopes <scopes>', 'scopes of the key, separated by commas', argument(parseScopes), [
      'ingest',
      'evaluation:read'
    ])
    .option(
      '--rate-limit <n>',
      'decisions the organization may send per window',
      argument(parsePoints)
    )
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      '\nIf --organization, --email or --password is omitted, its value is read from\n' +
        'BOOTSTRAP_ORGANIZATION, BOOTSTRAP_EMAIL or BOOTSTRAP_PASSWORD. If BOOTSTRAP_API_KEY is\n' +
        'set, that key is created, unless --add-key is passed.'
    )
    .action(async (options: BootstrapOptions) => {
      const { bootstrap } = await import('../commands/bootstrap.ts')
      await bootstrap(environment, options, write)
    })
}
