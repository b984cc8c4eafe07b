/** Tests the tour, which sends sample decisions, against a fake of the public API. */
import { expect, test } from '@jest/globals'
import type { ApiResponse, ApiClient } from '../../../../stack/tour/api-client.ts'
import { SAMPLES } from '../../../../stack/tour/samples.ts'
import { tourTable } from '../../../../stack/tour/summary.ts'
import { failingOf, runTour } from '../../../../stack/tour/tour.ts'

const CREDENTIALS = { api_key: 'slk', email: 'a@b', password: 'p', organization_id: 'o' }

function anApi(overrides: Partial<ApiClient> = {}): ApiClient {
  const answer = async (status: number, body: ApiResponse['body']): Promise<ApiResponse> =>
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

test('returns a row per sample with times, verdict and failing scores', async () => {
  const rows = await runTour(anApi(), CREDENTIALS, SAMPLES)
  expect(rows).toHaveLength(SAMPLES.length)
  expect(rows[0]).toMatchObject({ decisionId: 'd1', verdict: 'mixed', failing: ['refusal'] })
  expect(rows[0]?.storedMs).toBeGreaterThanOrEqual(0)
  expect(tourTable(rows)[1]).toMatch(/^d1 +refund-agent +\d+ ms +\d+ ms +mixed +refusal$/)
})

test('marks a decision that is not seen in time', async () => {
  const read = async (): Promise<ApiResponse> => await Promise.resolve({ status: 404, body: {} })
  const rows = await runTour(anApi({ read }), CREDENTIALS, SAMPLES.slice(0, 1))
  expect(rows[0]).toMatchObject({ storedMs: null, evaluatedMs: null, verdict: 'unknown' })
  expect(tourTable(rows)[1]).toMatch(/not yet +not yet/)
})

test('reports a rejected sample with the reason', async () => {
  const ingest = async (): Promise<ApiResponse> =>
    await Promise.resolve({ status: 503, body: { detail: 'Kafka is unavailable' } })
  const tour = runTour(anApi({ ingest }), CREDENTIALS, SAMPLES)
  await expect(tour).rejects.toThrow(/status 503: Kafka is unavailable/)
})

test('returns the scores that did not pass', () => {
  expect(failingOf({ a: { passed: false }, b: { passed: null }, c: {} })).toEqual(['a'])
  expect(failingOf([{ name: 'a', passed: false }])).toEqual(['a'])
  expect(failingOf(undefined)).toEqual([])
})
