/** Estimates how long a decision of an organization takes to evaluate, from earlier ones. */
import type { Evaluation } from '../../../core/evaluation/evaluation.ts'
import { createCache } from '../../../platform/process/cache.ts'
import type { Planned } from '../plan.ts'

export interface Costs {
  /** @returns milliseconds for one decision */
  of(organizationId: string): number
  /** Learns from planned decisions and their evaluations. */
  note(planned: readonly Planned[], evaluations: readonly Evaluation[]): void
}

const organizationsMax = 10_000
/** For an unknown organization: about the time of 100 checks, the most that rules may have. */
const unknownMs = 5
/** In addition to the time of evaluators: to plan, to encode and publish, to write a row. */
const overheadMs = { decision: 0.3, run: 0.03, opened: 0.15 }
/** After so many decisions, half of the estimate comes from them. */
const halvingDecisions = 50

export function createCosts(): Costs {
  const known = createCache<{ readonly ms: number }>(organizationsMax)

  function learn(organizationId: string, decisions: number, ms: number): void {
    const measured = ms / decisions
    const before = known.get(organizationId)?.ms ?? measured
    const weight = decisions / (decisions + halvingDecisions)
    known.set(organizationId, { ms: before + weight * (measured - before) })
  }

  return {
    of: (organizationId) => known.get(organizationId)?.ms ?? unknownMs,
    note: (planned, evaluations) => {
      const evaluated = Map.groupBy(evaluations, ({ organization_id }) => organization_id)
      // A duplicate costs less, so it says nothing about new decisions.
      const fresh = planned.filter(({ outcome }) => outcome.kind === 'done')
      const byOrganization = Map.groupBy(fresh, ({ decision }) => decision.organization_id)
      for (const [id, own] of byOrganization) {
        const ms = sum(own, planningMs) + sum(evaluated.get(id) ?? [], evaluationMs)
        learn(id, own.length, ms)
      }
    }
  }
}

function planningMs({ opened }: Planned): number {
  return overheadMs.decision + opened * overheadMs.opened
}

function evaluationMs({ runs }: Evaluation): number {
  return sum(runs, ({ duration_us }) => overheadMs.run + (duration_us ?? 0) / 1000)
}

function sum<T>(values: readonly T[], of: (value: T) => number): number {
  return values.reduce((total, value) => total + of(value), 0)
}
