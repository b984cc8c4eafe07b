/** Estimates how long an organization's decisions take to evaluate, based on earlier decisions. */
import type { Evaluation } from '../../../core/evaluation/evaluation.ts'
import { createCache } from '../../../platform/process/cache.ts'
import type { Planned } from '../plan.ts'

export interface Costs {
  /** Returns the estimated time per decision, in milliseconds. */
  of(organizationId: string): number
  /** Updates the estimates from planned decisions and their evaluations. */
  note(planned: readonly Planned[], evaluations: readonly Evaluation[]): void
}

const organizationsMax = 10_000
/**
 * Estimate in milliseconds for an organization without measurements: the time for about 100 checks,
 * the maximum number per decision.
 */
const unknownMs = 5
/**
 * Overhead in milliseconds of planning, encoding, publishing and storing: per decision, per run,
 * and per inserted pending run.
 */
const overheadMs = { decision: 0.3, run: 0.03, opened: 0.15 }
/** Number of new decisions at which a measurement makes up half of the new estimate. */
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
      // Excludes duplicates, which take less time than new decisions.
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
