/** Counts and times responses, in total and by group. */
import { createHistogram } from './histogram.ts'
import type { Histogram } from './histogram.ts'

export interface Answers {
  /** Number of responses by status. Status 0 stands for a broken connection. */
  readonly statuses: Readonly<Record<number, number>>
  /** Bucket counts of the latency histogram. */
  readonly latencies: readonly number[]
}

export interface GroupedAnswers extends Answers {
  readonly groups: Readonly<Record<string, Answers>>
}

/** Returns the total number of responses, including broken connections. */
export function answersIn(statuses: Answers['statuses']): number {
  return Object.values(statuses).reduce((sum, count) => sum + count, 0)
}

export interface Tally {
  answered(status: number, ms: number, group?: string): void
  broken(group?: string): void
  answers(): GroupedAnswers
}

interface Count {
  readonly statuses: Record<number, number>
  readonly latencies: Histogram
}

const brokenStatus = 0

export function createTally(): Tally {
  const all = createCount()
  const groups: Record<string, Count> = {}

  function countsOf(group: string | undefined): Count[] {
    return group === undefined ? [all] : [all, (groups[group] ??= createCount())]
  }

  return {
    answered: (status, ms, group) => {
      for (const count of countsOf(group)) {
        count.latencies.record(ms)
        count.statuses[status] = (count.statuses[status] ?? 0) + 1
      }
    },
    broken: (group) => {
      for (const { statuses } of countsOf(group)) {
        statuses[brokenStatus] = (statuses[brokenStatus] ?? 0) + 1
      }
    },
    answers: () => ({
      ...answersOf(all),
      groups: Object.fromEntries(
        Object.entries(groups).map(([group, count]) => [group, answersOf(count)])
      )
    })
  }
}

function createCount(): Count {
  return { statuses: {}, latencies: createHistogram() }
}

function answersOf({ statuses, latencies }: Count): Answers {
  return { statuses, latencies: latencies.counts }
}
