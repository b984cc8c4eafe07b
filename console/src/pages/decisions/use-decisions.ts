/** Reads the decisions that match the query, page by page. */
import { keepPreviousData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { readJson } from '../../api/api.ts'
import { parseQuery } from '../../query/parse-query.ts'
import type { DecisionPageBody, SearchBody } from '../../api/wire.ts'

const pageLimit = 100
/** Rows in memory. Beyond them the user narrows the query. */
export const rowsMax = 10_000

interface ListQuery {
  readonly q: string
  readonly from: string | null
  readonly to: string | null
}

function search(body: SearchBody, signal: AbortSignal): Promise<DecisionPageBody> {
  return readJson<DecisionPageBody>({ path: '/v1/decisions/search', body, signal })
}

export function useDecisions({ q, from, to }: ListQuery) {
  const { search: filters, errors } = useMemo(() => parseQuery(q), [q])
  const range = { ...(from !== null && { from }), ...(to !== null && { to }) }
  const query = useInfiniteQuery({
    queryKey: ['decisions', q, from, to],
    enabled: errors.length === 0,
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === null ? {} : { cursor: pageParam }
      return search({ ...filters, ...range, limit: pageLimit, ...cursor }, signal)
    },
    initialPageParam: null as string | null,
    getNextPageParam: ({ meta }) => meta.next_cursor,
    placeholderData: keepPreviousData
  })
  const pages = query.data?.pages
  const rows = useMemo(() => pages?.flatMap(({ data }) => data) ?? [], [pages])
  return { ...query, rows, errors, newest: pages?.[0]?.meta }
}

/** Reads the newest decision of all time, to tell an empty range from an empty organization. */
export function useNewest(isWanted: boolean) {
  return useQuery({
    queryKey: ['decisions', 'newest'],
    enabled: isWanted,
    queryFn: async ({ signal }) => {
      const { data } = await search({ from: '1970-01-01T00:00:00Z', limit: 1 }, signal)
      return data[0] ?? null
    }
  })
}
