/** Reads and counts dead-letter records, both for the list and for the badge in the rail. */
import type { deadLetterPage } from '../../../../api/dead-letters/schemas.ts'
import { usePages } from '../../api/use-api.ts'
import type { WireOf } from '../../api/wire.ts'
import type { FilterState } from './filters.tsx'

type DeadLetterPageBody = WireOf<typeof deadLetterPage>
export type DeadLetterRow = DeadLetterPageBody['data'][number]

export function useRecords(state: FilterState, pollMs: number) {
  const list = usePages<DeadLetterRow>(`/v1/dead-letters?${queryOf(state)}`, { pollMs })
  const meta = list.data?.pages[0]?.meta as DeadLetterPageBody['meta'] | undefined
  const matched = meta && `${meta.matched}${meta.more_than_matched ? '+' : ''}`
  return { list, matched }
}

function queryOf({ state, ...filters }: FilterState): URLSearchParams {
  const query = new URLSearchParams(filterOf(filters))
  if (state !== 'all') query.set('state', state)
  query.set('from', '1970-01-01T00:00:00Z')
  return query
}

export function filterOf({ step, reason, agent }: Omit<FilterState, 'state'>) {
  return {
    ...(step !== null && { step }),
    ...(reason !== null && { reason }),
    ...(agent !== null && { agent_id: agent })
  }
}
