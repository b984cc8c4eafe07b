/** Tests that each query reads a limited number of runs, because the decisions of a page can have
 * hundreds of thousands of runs.
 */
import { expect, test } from '@jest/globals'
import { createReadEvaluations } from '../../../api/read-evaluations.ts'
import type { OrganizationStore } from '../../../api/store.ts'
import { organizationId } from './fakes.ts'

/**
 * Creates a store with this number of runs per decision. It records which decisions are read
 * together.
 */
function createFakeStore(runs: Readonly<Record<string, number>>) {
  const together: (readonly string[])[] = []
  const store: Pick<OrganizationStore, 'organizationId' | 'query'> = {
    organizationId,
    query: async (statement, values = []) => {
      const ids = values[1] as readonly string[]
      if (statement.includes('unnest')) {
        return ids.map((decision_id) => ({ decision_id, runs: runs[decision_id] })) as never
      }
      if (statement.includes('left join later_scores')) together.push(ids)
      return []
    }
  }
  return { store: store as OrganizationStore, together }
}

async function idsRead(store: OrganizationStore, ids: readonly string[]): Promise<string[]> {
  const found: string[] = []
  const { readEvaluations } = createReadEvaluations()
  for await (const [id] of readEvaluations(store, ids)) found.push(id)
  return found
}

test('reads decisions with few runs together', async () => {
  const { store, together } = createFakeStore({ a: 6, b: 6, c: 0 })
  expect(await idsRead(store, ['a', 'b', 'c'])).toEqual(['a', 'b', 'c'])
  expect(together).toEqual([['a', 'b', 'c']])
})

test('reads decisions with many runs separately, in order', async () => {
  const { store, together } = createFakeStore({ a: 1500, b: 1500, c: 400, d: 3000, e: 1 })
  expect(await idsRead(store, ['a', 'b', 'c', 'd', 'e'])).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(together).toEqual([['a'], ['b', 'c'], ['d'], ['e']])
})

test('does not count the runs of a single decision first', async () => {
  const { store, together } = createFakeStore({})
  expect(await idsRead(store, ['a'])).toEqual(['a'])
  expect(together).toEqual([['a']])
})
