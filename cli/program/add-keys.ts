/** Defines `sluice keys` and its commands. Loads the code of a command only when it runs. */
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
import type { CommandContext } from '../command-context.ts'
import { argument } from './argument.ts'

export function addKeys(program: Command, context: CommandContext): void {
  const { environment, write } = context
  const keys = program.command('keys').description('create, list, rotate and revoke API keys')

  keys
    .command('create')
    .description('create an API key and print it; its secret is not shown again')
    .requiredOption('--organization <id>', 'id or name of the organization')
    .requiredOption('--name <name>', 'name of the key', argument(parseName))
    .option('--scopes <scopes>', 'scopes of the key, separated by commas', argument(parseScopes), [
      'ingest'
    ])
    .option(
      '--expires <duration>',
      'lifetime of the key, such as 90d (default: unlimited)',
      argument(parseDuration)
    )
    .option('--rate-limit <n>', 'decisions the key may send per window', argument(parsePoints))
    .option(
      '--env <env>',
      'environment part of the key, as in slk_live_',
      argument(parseEnv),
      'live'
    )
    .option('--json', 'print one JSON object')
    .action(async (options: CreateKeyOptions) => {
      const { createKey } = await import('../commands/create-key.ts')
      await createKey(environment, options, write)
    })

  keys
    .command('generate')
    .description('generate a key for BOOTSTRAP_API_KEY (inactive until bootstrap runs)')
    .option(
      '--env <env>',
      'environment part of the key, as in slk_live_',
      argument(parseEnv),
      'live'
    )
    .action(({ env }: { env: string }) => write(createApiKey(env).api_key))

  keys
    .command('list')
    .description('list API keys without their secrets')
    .option('--organization <id>', 'only keys of this organization, by id or name')
    .option('--json', 'print one JSON array')
    .action(async (options: ListKeysOptions) => {
      const { listKeys } = await import('../commands/list-keys.ts')
      await listKeys(environment, options, write)
    })

  addKeyEnds(keys, context)
}

function addKeyEnds(keys: Command, { environment, write }: CommandContext): void {
  keys
    .command('rotate')
    .description('create a replacement for a key; the old key stays valid for a grace period')
    .argument('<key-id>', 'id of the old key (the 12 characters after slk_ENV_), or the whole key')
    .addOption(
      new Option('--grace <duration>', 'how long the old key stays valid')
        .argParser(argument(parseDuration))
        .default(parseDuration('24h'), '24h')
    )
    .option(
      '--expires <duration>',
      'lifetime of the new key (default: lifetime of the old key)',
      argument(parseDuration)
    )
    .option('--json', 'print one JSON object')
    .action(async (keyId: string, options: RotateKeyOptions) => {
      const { rotateKey } = await import('../commands/rotate-key.ts')
      await rotateKey(environment, { keyId: parseKeyId(keyId), options }, write)
    })

  keys
    .command('revoke')
    .description('revoke a key on all gateways')
    .argument('<key-id>', 'id of the key (the 12 characters after slk_ENV_), or the whole key')
    .option('--json', 'print one JSON object')
    .action(async (keyId: string, options: RevokeKeyOptions) => {
      const { revokeKey } = await import('../commands/revoke-key.ts')
      await revokeKey(environment, { keyId: parseKeyId(keyId), options }, write)
    })
}
