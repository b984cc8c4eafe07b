/** Tests that working credentials are reused after a restart. */
import { expect, test } from '@jest/globals'
import type { ApiClient } from '../../../../stack/tour/api-client.ts'
import { EMAIL, obtainCredentials, parseBootstrap } from '../../../../stack/tour/credentials.ts'

const KEPT = { api_key: 'slk_old', email: 'a@b', password: 'p', organization_id: 'o' }
const PRINTED = '{"organization_id":"o2","email":"x","api_key":"slk_new"}\n'

function anApi(loginStatus: number, ingestStatus: number): ApiClient {
  const answer = (status: number) => async () => await Promise.resolve({ status, body: {} })
  return { login: answer(loginStatus), ingest: answer(ingestStatus), read: answer(200) }
}

test('reuses a user and an API key that still work', async () => {
  const sluice = async (): Promise<string> => await Promise.reject(new Error('not needed'))
  const deps = { api: anApi(200, 422), kept: KEPT, password: 'x', sluice }
  expect(await obtainCredentials(deps)).toEqual({ ...KEPT, isNew: false })
})

test('replaces a rejected key, with a rate limit for load tests', async () => {
  const asked: string[][] = []
  const sluice = async (args: string[]): Promise<string> => {
    asked.push(args)
    return await Promise.resolve(PRINTED)
  }
  const deps = { api: anApi(200, 401), kept: KEPT, password: 'secret', sluice }
  const found = await obtainCredentials(deps)
  expect(found).toMatchObject({ api_key: 'slk_new', email: EMAIL, password: 'secret', isNew: true })
  expect(asked[0]).toContain('1000000000')
})

test('suggests --reset if the user cannot log in', async () => {
  const sluice = async (): Promise<string> => await Promise.resolve(PRINTED)
  const deps = { api: anApi(401, 401), kept: null, password: 'x', sluice }
  await expect(obtainCredentials(deps)).rejects.toThrow(/start with --reset/)
})

test('finds the JSON after other lines', () => {
  expect(parseBootstrap(`created organization\n${PRINTED}`).api_key).toBe('slk_new')
  expect(() => parseBootstrap('{}')).toThrow(/neither organization_id nor api_key/)
})
