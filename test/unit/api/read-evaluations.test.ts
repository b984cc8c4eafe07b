/** How many runs are read at once: a page of decisions may have hundreds of thousands. */
import { expect, test } from '@jest/globals'
import { createReadEvaluations } from '../../../api/read-evaluations.ts'
import type { OrganizationStore } from '../../../api/store.ts'
import { organizationId } from './fakes.ts'

/** Answers how many runs each decision has, and notes of which the runs are read together. */
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

test('decisions with few runs are read together', async () => {
  const { store, together } = createFakeStore({ a: 6, b: 6, c: 0 })
  expect(await idsRead(store, ['a', 'b', 'c'])).toEqual(['a', 'b', 'c'])
  expect(together).toEqual([['a', 'b', 'c']])
})

test('decisions with many runs are read apart, in their order', async () => {
  const { store, together } = createFakeStore({ a: 1500, b: 1500, c: 400, d: 3000, e: 1 })
  expect(await idsRead(store, ['a', 'b', 'c', 'd', 'e'])).toEqual(['a', 'b', 'c', 'd', 'e'])
  expect(together).toEqual([['a'], ['b', 'c'], ['d'], ['e']])
})

test('of a single decision nothing is counted before', async () => {
  const { store, together } = createFakeStore({})
  expect(await idsRead(store, ['a'])).toEqual(['a'])
  expect(together).toEqual([['a']])
})
