/** Loads the next page when its rows are needed, unless the user canceled. */
import { useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { rowsMax } from './use-decisions.ts'
import type { useDecisions } from './use-decisions.ts'

export type DecisionList = ReturnType<typeof useDecisions>

export function useLoadMore(list: DecisionList) {
  const queries = useQueryClient()
  const [isPaused, setIsPaused] = useState(false)
  const { rows, hasNextPage, isFetching, isError, fetchNextPage } = list
  const isReady = hasNextPage && !isFetching && !isError && rows.length < rowsMax
  const load = useCallback(() => {
    if (isReady && !isPaused) void fetchNextPage()
  }, [isReady, isPaused, fetchNextPage])
  return {
    isPaused,
    load,
    cancel: () => {
      setIsPaused(true)
      void queries.cancelQueries({ queryKey: ['decisions'] })
    },
    resume: () => {
      setIsPaused(false)
      if (list.isPending) void list.refetch()
    }
  }
}
