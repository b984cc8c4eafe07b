/** What a decision of each organization costs this process, as far as it has evaluated some. */
import type { Evaluation } from '../../../core/evaluation/evaluation.ts'
import { createCache } from '../../../platform/process/cache.ts'
import type { Planned } from '../plan.ts'

export interface Costs {
  /** Milliseconds. */
  of(organizationId: string): number
  /** Learns from decisions that were planned, and from what was evaluated of them. */
  note(planned: readonly Planned[], evaluations: readonly Evaluation[]): void
}

const organizationsMax = 10_000
/** Of an organization that is not known: about as much as 100 checks, the most that rules name. */
const unknownMs = 5
/** On top of the time of evaluators: to plan, to encode and publish, to write a row. */
const overheadMs = { decision: 0.3, run: 0.03, opened: 0.15 }
/** As many decisions change half of what is known. */
const memory = 50

interface Known {
  ms: number
}

export function createCosts(): Costs {
  const known = createCache<Known>(organizationsMax)

  function learn(organizationId: string, decisions: number, ms: number): void {
    const cost = known.get(organizationId)
    const weight = cost === undefined ? 1 : decisions / (decisions + memory)
    const before = cost?.ms ?? 0
    known.set(organizationId, { ms: before + weight * (ms / decisions - before) })
  }

  return {
    of: (organizationId) => known.get(organizationId)?.ms ?? unknownMs,
    note: (planned, evaluations) => {
      const evaluated = Map.groupBy(evaluations, ({ organization_id }) => organization_id)
      // What comes again costs less, and says nothing about what is new.
      const fresh = planned.filter(({ outcome }) => outcome.kind === 'done')
      const ofOne = Map.groupBy(fresh, ({ decision }) => decision.organization_id)
      for (const [id, own] of ofOne) {
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
