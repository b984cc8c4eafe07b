/** Fills in the defaults of an evaluator from a request. */
import { isOfflineKind } from '../core/evaluation/evaluator-definition.ts'
import type {
  EvaluatorDraft,
  EvaluatorKind,
  ScoreDefinition
} from '../core/evaluation/evaluator-definition.ts'
import { kindTable } from './kind-table.ts'
import type { OutputForm } from './kind.ts'

/** Evaluator as sent in a request. A null member counts as omitted. */
export interface EvaluatorInput {
  readonly name: string
  readonly kind: EvaluatorKind
  readonly description?: string | null
  readonly config: Readonly<Record<string, unknown>>
  readonly output?: Partial<ScoreDefinition> | null
  readonly timeout_ms?: number | null
}

/**
 * Timeouts of one run in milliseconds. Offline kinds are fast, and network kinds wait for a model.
 */
export const timeouts = {
  offline: { default: 100, max: 1000 },
  network: { default: 60_000, max: 300_000 }
} as const

/**
 * Returns the evaluator with all defaults set.
 * @param given an evaluator that `checkEvaluator` accepts
 */
export function completeDraft(given: EvaluatorInput): EvaluatorDraft {
  const { name, kind, description, config, timeout_ms } = given
  const time = isOfflineKind(kind) ? timeouts.offline : timeouts.network
  return {
    name,
    kind,
    description: description ?? null,
    config,
    output: outputOf(given),
    timeout_ms: timeout_ms ?? time.default
  }
}

const bare: OutputForm = {
  data_type: 'text',
  min: null,
  max: null,
  labels: null,
  pass: null,
  threshold: null,
  direction: 'higher'
}

/**
 * Merges the score definitions of the kind and of the caller. The caller's members take precedence.
 */
function outputOf({ name, kind, config, output }: EvaluatorInput): ScoreDefinition {
  const given = Object.entries(output ?? {}).filter(([, value]) => value !== null)
  const own = naturalOutputOf(kind, config) ?? bare
  return { name, ...own, ...(Object.fromEntries(given) as Partial<ScoreDefinition>) }
}

/** Returns the score definition of a kind, or null if the caller has to define the score. */
export function naturalOutputOf(
  kind: EvaluatorKind,
  config: Readonly<Record<string, unknown>>
): OutputForm | null {
  if (isOfflineKind(kind)) return kindTable[kind](config)?.outputOf(config) ?? null
  return kind === 'llm_judge' ? scaleOutputOf(config['scale']) : null
}

interface Scale {
  readonly type?: unknown
  readonly min?: unknown
  readonly max?: unknown
  readonly labels?: unknown
}

/**
 * Returns the score definition that follows from a judge's scale, or null if the scale is invalid.
 */
function scaleOutputOf(scale: unknown): OutputForm | null {
  const { type, min, max, labels } = (scale ?? {}) as Scale
  if (type === 'rubric' && typeof min === 'number' && typeof max === 'number') {
    return { ...bare, data_type: 'numeric', min, max }
  }
  if (type !== 'choice' || typeof labels !== 'object' || labels === null) return null
  return { ...bare, data_type: 'categorical', labels: labels as Readonly<Record<string, number>> }
}
