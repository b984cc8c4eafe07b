/** Reads a decision, its evaluation and its neighbors in the session. */
import { useQuery } from '@tanstack/react-query'
import { readJson, readText } from '../../lib/api.ts'
import { readDecisionText } from '../../lib/decision-text.ts'
import type { Evaluation, SessionContext } from '../../lib/wire.ts'

const pollMs = 2000
/** After this many polls the page waits for the user. */
const pollsMax = 60

function pathOf(id: string): string {
  return `/v1/decisions/${encodeURIComponent(id)}`
}

export function useDecision(id: string) {
  return useQuery({
    queryKey: ['decision', id],
    queryFn: async ({ signal }) => readDecisionText(await readText({ path: pathOf(id), signal })),
    // A stored decision does not change.
    staleTime: Infinity
  })
}

export function useEvaluation(id: string) {
  return useQuery({
    queryKey: ['evaluation', id],
    queryFn: ({ signal }) =>
      readJson<Evaluation>({ path: `/v1/evaluation/${encodeURIComponent(id)}`, signal }),
    refetchInterval: ({ state: { data, dataUpdateCount } }) => {
      const isOpen = data?.status === 'pending' || data?.status === 'evaluating'
      return isOpen && dataUpdateCount < pollsMax ? pollMs : false
    }
  })
}

export function useSessionContext(id: string, hasSession: boolean) {
  return useQuery({
    queryKey: ['context', id],
    enabled: hasSession,
    queryFn: ({ signal }) => readJson<SessionContext>({ path: `${pathOf(id)}/context`, signal })
  })
}
