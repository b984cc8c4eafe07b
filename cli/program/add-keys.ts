/** `sluice keys` and its commands; the code of a command is loaded only when it runs. */
import { Option } from 'commander'
import type { Command } from 'commander'
import { createApiKey } from '../../core/ids/api-key.ts'
import type { CreateKeyOptions } from '../commands/create-key.ts'
import type { ListKeysOptions } from '../commands/list-keys.ts'
import type { RevokeKeyOptions } from '../commands/revoke-key.ts'
import type { RotateKeyOptions } from '../commands/rotate-key.ts'
import {
  parseDuration,
  parseEnv,
  parseKeyId,
  parseName,
  parsePoints,
  parseScopes
} from '../parse-option.ts'
import type { Surroundings } from '../surroundings.ts'
import { argument } from './argument.ts'

export function addKeys(program: Command, surroundings: Surroundings): void {
  const { environment, write } = surroundings
  const keys = program.command('keys').description('API keys: create, list, rotate, revoke')

  keys
    .command('create')
    .description('make a key for an organization, and show it this once')
    .requiredOption('--organization <id>', 'id of the organization, or its name')
    .requiredOption('--name <name>', 'what the key is for', argument(parseName))
    .option('--scopes <scopes>', 'what it may do, separated by commas', argument(parseScopes), [
      'ingest'
    ])
    .option(
      '--expires <duration>',
      'how long it is valid, such as 90d; for ever without',
      argument(parseDuration)
    )
    .option('--rate-limit <n>', 'decisions it may send in a window', argument(parsePoints))
    .option('--env <env>', 'environment named in the key', argument(parseEnv), 'live')
    .option('--json', 'print one JSON object')
    .action(async (options: CreateKeyOptions) => {
      const { createKey } = await import('../commands/create-key.ts')
      await createKey(environment, options, write)
    })

  keys
    .command('generate')
    .description('make up a key for BOOTSTRAP_API_KEY; it opens nothing before that')
    .option('--env <env>', 'environment named in the key', argument(parseEnv), 'live')
    .action(({ env }: { env: string }) => write(createApiKey(env).api_key))

  keys
    .command('list')
    .description('show the keys there are, without their secrets')
    .option('--organization <id>', 'only of this organization, by id or name')
    .option('--json', 'print one JSON array')
    .action(async (options: ListKeysOptions) => {
      const { listKeys } = await import('../commands/list-keys.ts')
      await listKeys(environment, options, write)
    })

  addKeyEnds(keys, surroundings)
}

function addKeyEnds(keys: Command, { environment, write }: Surroundings): void {
  keys
    .command('rotate')
    .description('make a key that takes the place of another, which goes on for a while')
    .argument('<key-id>', 'the old key: the 12 characters after slk_live_')
    .addOption(
      new Option('--grace <duration>', 'how long the old key goes on')
        .argParser(argument(parseDuration))
        .default(parseDuration('24h'), '24h')
    )
    .option(
      '--expires <duration>',
      'how long the new one is valid; else as long as the old',
      argument(parseDuration)
    )
    .option('--json', 'print one JSON object')
    .action(async (keyId: string, options: RotateKeyOptions) => {
      const { rotateKey } = await import('../commands/rotate-key.ts')
      await rotateKey(environment, { keyId: parseKeyId(keyId), options }, write)
    })

  keys
    .command('revoke')
    .description('end a key now, everywhere')
    .argument('<key-id>', 'the 12 characters after slk_live_')
    .option('--json', 'print one JSON object')
    .action(async (keyId: string, options: RevokeKeyOptions) => {
      const { revokeKey } = await import('../commands/revoke-key.ts')
      await revokeKey(environment, { keyId: parseKeyId(keyId), options }, write)
    })
}
