/** The tour of the samples, through a stand-in for the public API. */
import { expect, test } from '@jest/globals'
import type { Answer, ApiClient } from '../../../../stack/tour/api-client.ts'
import { SAMPLES } from '../../../../stack/tour/samples.ts'
import { tourTable } from '../../../../stack/tour/summary.ts'
import { failingOf, takeTour } from '../../../../stack/tour/tour.ts'

const CREDENTIALS = { api_key: 'slk', email: 'a@b', password: 'p', organization_id: 'o' }

function anApi(overrides: Partial<ApiClient> = {}): ApiClient {
  const answer = async (status: number, body: Answer['body']): Promise<Answer> =>
    await Promise.resolve({ status, body })
  return {
    login: async () => await answer(200, { access_token: 'token' }),
    ingest: async () => await answer(202, { decision_id: 'd1', queued: true }),
    read: async (_token, path) =>
      path.startsWith('/v1/evaluation')
        ? await answer(200, {
            status: 'completed',
            verdict: 'mixed',
            scores: { refusal: { passed: false }, empty: { passed: true } }
          })
        : await answer(200, { decision_id: 'd1' }),
    ...overrides
  }
}

test('each sample becomes a row with its times, verdict and failing scores', async () => {
  const rows = await takeTour(anApi(), CREDENTIALS, SAMPLES)
  expect(rows).toHaveLength(SAMPLES.length)
  expect(rows[0]).toMatchObject({ decisionId: 'd1', verdict: 'mixed', failing: ['refusal'] })
  expect(rows[0]?.storedMs).toBeGreaterThanOrEqual(0)
  expect(tourTable(rows)[1]).toMatch(/^d1 +refund-agent +\d+ ms +\d+ ms +mixed +refusal$/)
})

test('a decision that is not seen in time is told as such', async () => {
  const read = async (): Promise<Answer> => await Promise.resolve({ status: 404, body: {} })
  const rows = await takeTour(anApi({ read }), CREDENTIALS, SAMPLES.slice(0, 1))
  expect(rows[0]).toMatchObject({ storedMs: null, evaluatedMs: null, verdict: 'unknown' })
  expect(tourTable(rows)[1]).toMatch(/not yet +not yet/)
})

test('a sample that is refused is named with the reason', async () => {
  const ingest = async (): Promise<Answer> =>
    await Promise.resolve({ status: 503, body: { detail: 'the log is unavailable' } })
  const tour = takeTour(anApi({ ingest }), CREDENTIALS, SAMPLES)
  await expect(tour).rejects.toThrow(/status 503: the log is unavailable/)
})

test('failing scores are those whose evaluator did not pass them', () => {
  expect(failingOf({ a: { passed: false }, b: { passed: null }, c: {} })).toEqual(['a'])
  expect(failingOf([{ name: 'a', passed: false }])).toEqual(['a'])
  expect(failingOf(undefined)).toEqual([])
})
