/** Tests the Postgres configuration in a container. */
import { expect, test } from '@jest/globals'
import { createPostgresContainer } from '../../../../stack/docker/postgres-container.ts'

async function commandOf(ephemeral: boolean): Promise<string> {
  const context = { ephemeral, portOf: () => Promise.resolve(20_002) }
  const { spec } = await createPostgresContainer(context, 'secret')
  return (spec.command ?? []).join(' ')
}

test('syncs persistent data to disk, but not ephemeral data', async () => {
  expect(await commandOf(false)).not.toContain('fsync')
  expect(await commandOf(true)).toContain('-c fsync=off')
})

test('returns a complete connection URL', async () => {
  const context = { ephemeral: false, portOf: () => Promise.resolve(20_003) }
  const { url, spec } = await createPostgresContainer(context, 'secret')
  expect(url).toBe('postgres://sluice:secret@127.0.0.1:20003/sluice')
  expect(spec.environment?.['POSTGRES_PASSWORD']).toBe('secret')
})
