/** Tests which tables are searched for a run. */
import { expect, test } from '@jest/globals'
import { findRun } from '../../../../../api/results/runs/queries.ts'
import type { OrganizationStore } from '../../../../../api/store.ts'
import type { Row } from '../../../../../platform/postgres/postgres.ts'
import { organizationId } from '../../fakes.ts'

/** Creates a store in which only these tables have a row of the run. */
function createFakeStore(...holders: readonly string[]) {
  const searched: string[] = []
  const store: OrganizationStore = {
    organizationId,
    query: <R extends Row>(statement: string) => {
      const table = /from (\w+_runs|\()/.exec(statement)?.[1] ?? ''
      searched.push(table)
      const rows = holders.includes(table) || table === '(' ? [{ table, received_at: null }] : []
      return Promise.resolve(rows as unknown as R[])
    },
    change: () => Promise.reject(new Error('the search changes nothing'))
  }
  return { store, searched }
}

const packed = ['pending_runs', 'later_runs', '(', 'packed_runs']

test.each([
  [['pending_runs'], 'pending_runs', ['pending_runs', 'later_runs']],
  [['pending_runs', 'later_runs'], 'later_runs', ['pending_runs', 'later_runs']],
  [['packed_runs'], 'packed_runs', packed],
  [[], null, packed]
])('a run in %j: returns the row of %j, and searches %j', async (holders, table, tables) => {
  const { store, searched } = createFakeStore(...holders)
  const found = await findRun(store, 'run')
  expect(found).toEqual(table && expect.objectContaining({ table }))
  expect(searched).toEqual(tables)
})
