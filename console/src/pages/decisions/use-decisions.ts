/** Reads the decisions that match the query, page by page. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { readJson } from '../../api/api.ts'
import { parseQuery } from '../../query/parse-query.ts'
import type { DecisionPageBody, SearchBody } from '../../api/wire.ts'
import { rangeOf } from './use-list-state.ts'
import type { ListState } from './use-list-state.ts'

const pageLimit = 100
/** Maximum number of rows in memory. To see other decisions, the user must narrow the query. */
export const rowsMax = 10_000

function search(body: SearchBody, signal: AbortSignal): Promise<DecisionPageBody> {
  return readJson<DecisionPageBody>({ path: '/v1/decisions/search', body, signal })
}

/** Returns the body of the search request and the errors in the query, if it has any. */
export function searchOf(state: ListState) {
  const { search: filters, errors } = parseQuery(state.q)
  const include = state.columns.includes('scores') ? { include: ['scores' as const] } : {}
  const body: SearchBody = { ...filters, ...rangeOf(state), ...include, limit: pageLimit }
  return { body, errors }
}

export function useDecisions(state: ListState) {
  const { body, errors } = useMemo(() => searchOf(state), [state])
  const query = useInfiniteQuery({
    queryKey: ['decisions', body],
    enabled: errors.length === 0,
    queryFn: ({ pageParam, signal }) =>
      search({ ...body, ...(pageParam !== null && { cursor: pageParam }) }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: ({ meta }) => meta.next_cursor,
    placeholderData: keepPreviousData,
    // Rereads the list when a user returns to it, because decisions may have been stored meanwhile.
    staleTime: 0
  })
  const pages = query.data?.pages
  const rows = useMemo(() => pages?.flatMap(({ data }) => data) ?? [], [pages])
  return { ...query, rows, errors, newest: pages?.[0]?.meta }
}

/** Estimates the number of matching decisions, only when `refetch` is called. */
export function useCount(state: ListState) {
  const { body } = searchOf(state)
  return useQuery({
    queryKey: ['count', body],
    enabled: false,
    queryFn: async ({ signal }) =>
      (await search({ ...body, count: 'estimate', limit: 1 }, signal)).meta.count ?? null
  })
}

/** Reads the newest decision, however old it is. Repeats the read only if `pollMs` is set. */
export function useNewest(pollMs: number | false = false) {
  return useQuery({
    queryKey: ['decisions', 'newest'],
    refetchInterval: pollMs,
    queryFn: async ({ signal }) => {
      const { data } = await search({ from: '1970-01-01T00:00:00Z', limit: 1 }, signal)
      return data[0] ?? null
    }
  })
}
