/** Reads a decision, its evaluation, its trace and its neighbors in the session. */
import { useQuery } from '@tanstack/react-query'
import { readJson, readText } from '../../api/api.ts'
import { readDecisionText } from '../../decision/decision-text.ts'
import { notYetWaitSeconds } from '../../api/retries.ts'
import type { DecisionContext, EvaluationBody } from '../../api/wire.ts'

const waitSeconds = 20
/** Number of reads of an unfinished evaluation after which polling stops. */
const waitsMax = 30

function pathOf(id: string): string {
  return `/v1/decisions/${encodeURIComponent(id)}`
}

export function useDecision(id: string) {
  return useQuery({
    queryKey: ['decision', id],
    queryFn: async ({ client, queryKey, signal }) => {
      const isRetry = (client.getQueryState(queryKey)?.fetchFailureCount ?? 0) > 0
      const path = isRetry ? `${pathOf(id)}?wait=${notYetWaitSeconds}` : pathOf(id)
      return readDecisionText(await readText({ path, signal }))
    },
    // A stored decision does not change.
    staleTime: Infinity
  })
}

export function useEvaluation(id: string) {
  return useQuery({
    queryKey: ['evaluation', id],
    queryFn: ({ client, queryKey, signal }) => {
      // The first read shows the current state; the next ones wait for the end of the evaluation.
      const isFirst = client.getQueryData(queryKey) === undefined
      const wait = isFirst ? '' : `?wait=${waitSeconds}`
      const path = `/v1/evaluation/${encodeURIComponent(id)}${wait}`
      return readJson<EvaluationBody>({ path, signal })
    },
    refetchInterval: ({ state: { data, dataUpdateCount } }) => {
      const isOpen = data?.status === 'pending' || data?.status === 'evaluating'
      return isOpen && dataUpdateCount < waitsMax ? 1 : false
    }
  })
}

export function useDecisionContext(id: string) {
  return useQuery({
    queryKey: ['context', id],
    queryFn: ({ signal }) => readJson<DecisionContext>({ path: `${pathOf(id)}/context`, signal })
  })
}
