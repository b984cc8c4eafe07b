/** Creates an observer that records decisions, with a clock that the test controls. */
import { createContext } from '../../../sdk/typescript/src/context.ts'
import type { Context } from '../../../sdk/typescript/src/context.ts'
import type { DecisionInput } from '../../../sdk/typescript/src/decision.ts'
import { createNodeContextStorage } from '../../../sdk/typescript/src/node-context-storage.ts'
import { startObservation } from '../../../sdk/typescript/src/observation.ts'
import type {
  Observer,
  Observation,
  ObservationFields
} from '../../../sdk/typescript/src/observation.ts'

export interface Recorded {
  readonly observer: Observer
  readonly context: Context
  readonly decisions: Record<string, unknown>[]
  readonly startTrace: (fields?: ObservationFields) => Observation
  /** Advances the clock. */
  pass(ms: number): void
}

export function recorded(): Recorded {
  const context = createContext(createNodeContextStorage())
  const decisions: Record<string, unknown>[] = []
  let now = 0
  const observer: Observer = {
    log: (decision: DecisionInput) => {
      const known = Object.entries(decision).filter(([, value]) => value !== undefined)
      decisions.push(Object.fromEntries(known))
      return `id-${decisions.length}`
    },
    context,
    snapshot: (value) => structuredClone(value),
    newId: () => 'made',
    now: () => now
  }
  const startTrace = (fields?: ObservationFields): Observation => startObservation(observer, fields)
  return { observer, context, decisions, startTrace, pass: (ms) => void (now += ms) }
}
