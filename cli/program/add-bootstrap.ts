/** `sluice bootstrap` and its options. */
import type { Command } from 'commander'
import { bootstrap } from '../commands/bootstrap.ts'
import { parseEnv, parseName, parsePoints, parseScopes } from '../parse-option.ts'
import type { Surroundings } from '../surroundings.ts'
import { argument } from './argument.ts'

export function addBootstrap(program: Command, { environment, write }: Surroundings): void {
  program
    .command('bootstrap')
    .description('create an organization with a login and an API key')
    .requiredOption('--organization <name>', 'name of the organization', argument(parseName))
    .requiredOption('--email <email>', 'login of its owner')
    .requiredOption('--password <password>', 'password of that login')
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
    .action((options: Parameters<typeof bootstrap>[1]) => bootstrap(environment, options, write))
}
