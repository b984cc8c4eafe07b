/** Splits usage counts into rejected and dropped decisions, and sums them. */
import { reasonOf } from './usage-keys.ts'

export type Counted = readonly (readonly [what: string, count: number])[]

export function splitOf(counts: Counted): { rejected: Counted; dropped: Counted } {
  return {
    rejected: counts.filter(([what]) => reasonOf(what) === null),
    dropped: counts.flatMap(([what, count]) => {
      const reason = reasonOf(what)
      return reason === null ? [] : [[reason, count] as const]
    })
  }
}

export function sumOf(counts: Counted): number {
  return counts.reduce((sum, [, count]) => sum + count, 0)
}
