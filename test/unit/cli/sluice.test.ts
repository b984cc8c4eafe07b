/** What the command line says before it needs any service. */
import { expect, test } from '@jest/globals'
import { createApiKey } from '../../../core/ids/api-key.ts'
import { runSluice } from '../../../stack/sluice-command.ts'

const nobody = {
  PATH: process.env['PATH'],
  DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
  REDIS_URL: 'redis://127.0.0.1:1',
  API_KEY_PEPPER: 'p'.repeat(32)
}

const sluice = (...args: string[]): Promise<string> => runSluice({ args, environment: nobody })

test.each(['create', 'list', 'rotate', 'revoke'])('sluice keys %s --help', async (command) => {
  const said = await sluice('keys', command, '--help')
  expect(said).toContain(`Usage: sluice keys ${command}`)
  expect(said).toContain('--json')
})

test('what is wrong with an option is said with what to give instead', async () => {
  const create = ['keys', 'create', '--organization', 'Acme', '--name', 'agents']
  await expect(sluice('keys', 'create')).rejects.toThrow('Add --help')
  await expect(sluice(...create, '--scopes', 'inject')).rejects.toThrow('there are ingest,')
  await expect(sluice(...create, '--rate-limit', '0')).rejects.toThrow('a whole number from 1')
  await expect(sluice(...create, '--expires', '1w')).rejects.toThrow('such as 90d')
})

test('without Postgres a command says what to look at', async () => {
  await expect(sluice('keys', 'list')).rejects.toThrow('is DATABASE_URL right?')
})

test('a key that was pasted wrongly is not repeated', async () => {
  const { api_key } = createApiKey('live')
  const revoke = sluice('keys', 'revoke', `${api_key}!`)
  await expect(revoke).rejects.toThrow('that is no id of a key')
  await expect(revoke).rejects.not.toThrow(api_key)
})
