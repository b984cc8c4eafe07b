/** Reads the onboarding status of the organization. */
import { useQuery } from '@tanstack/react-query'
import type { onboarding } from '../../../api/onboarding/schemas.ts'
import { readJson } from '../api/api.ts'
import type { WireOf } from '../api/wire.ts'

export type Onboarding = WireOf<typeof onboarding>

const waitSeconds = 3
const pauseMs = 1500

/** @param isFollowed whether to read again until the page closes */
export function useOnboarding(isFollowed = false) {
  return useQuery({
    queryKey: ['onboarding'],
    queryFn: ({ client, queryKey, signal }) => {
      const known = client.getQueryData<Onboarding>(queryKey)
      const wait = known === undefined ? '' : `?wait=${waitSeconds}&done=${countDone(known.steps)}`
      return readJson<Onboarding>({ path: `/v1/auth/onboarding${wait}`, signal })
    },
    refetchInterval: isFollowed && pauseMs,
    staleTime: isFollowed ? 0 : Infinity
  })
}

export function lacksScore(status: Onboarding | undefined): boolean {
  const steps = status?.steps ?? []
  return steps.some(({ id, done_at }) => id === 'first_score' && done_at === null)
}

export function countDone(steps: Onboarding['steps']): number {
  return steps.filter(({ done_at }) => done_at !== null).length
}
