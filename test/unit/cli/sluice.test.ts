/** Tests the help and the error messages of `sluice` without services. */
import { expect, test } from '@jest/globals'
import { createApiKey } from '../../../core/ids/api-key.ts'
import { runSluice } from '../../../stack/sluice-command.ts'

const unreachable = {
  PATH: process.env['PATH'],
  DATABASE_URL: 'postgres://unknown@127.0.0.1:1/none',
  REDIS_URL: 'redis://127.0.0.1:1',
  API_KEY_PEPPER: 'p'.repeat(32)
}

const sluice = (...args: string[]): Promise<string> => runSluice({ args, environment: unreachable })

test.each(['create', 'list', 'rotate', 'revoke'])('sluice keys %s --help', async (command) => {
  const said = await sluice('keys', command, '--help')
  expect(said).toContain(`Usage: sluice keys ${command}`)
  expect(said).toContain('--json')
})

test('rejects an invalid option and says what to use', async () => {
  const create = ['keys', 'create', '--organization', 'Acme', '--name', 'agents']
  await expect(sluice('keys', 'create')).rejects.toThrow('Add --help')
  await expect(sluice(...create, '--scopes', 'inject')).rejects.toThrow(
    'use one or more of ingest,'
  )
  await expect(sluice(...create, '--rate-limit', '0')).rejects.toThrow('a whole number from 1')
  await expect(sluice(...create, '--expires', '1w')).rejects.toThrow('such as 90d')
})

test('suggests what to check without Postgres', async () => {
  await expect(sluice('keys', 'list')).rejects.toThrow(
    'check that it runs and that DATABASE_URL is correct'
  )
})

test('does not repeat an invalid API key', async () => {
  const { api_key } = createApiKey('live')
  const revoke = sluice('keys', 'revoke', `${api_key}!`)
  await expect(revoke).rejects.toThrow('not a key id')
  await expect(revoke).rejects.not.toThrow(api_key)
})
