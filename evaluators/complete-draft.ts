/** What a caller says of an evaluator, with everything that he may leave out. */
import { isOfflineKind } from '../core/evaluation/evaluator-definition.ts'
import type {
  EvaluatorDraft,
  EvaluatorKind,
  ScoreDefinition
} from '../core/evaluation/evaluator-definition.ts'
import { kindTable } from './kind-table.ts'
import type { OutputForm } from './kind.ts'

/** As a caller writes it; a member that is null counts as left out. */
export interface GivenDraft {
  readonly name: string
  readonly kind: EvaluatorKind
  readonly description?: string | null
  readonly config: Readonly<Record<string, unknown>>
  readonly output?: Partial<ScoreDefinition> | null
  readonly timeout_ms?: number | null
}

/** Of one run, in milliseconds: what computes is quick or hangs, a model takes its time. */
export const timeouts = {
  offline: { default: 100, max: 1000 },
  network: { default: 60_000, max: 300_000 }
} as const

/** @param given what `checkEvaluator` has nothing against */
export function completeDraft(given: GivenDraft): EvaluatorDraft {
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

/** What is given wins; the rest is the kind's own. */
function outputOf({ name, kind, config, output }: GivenDraft): ScoreDefinition {
  const given = Object.entries(output ?? {}).filter(([, value]) => value !== null)
  const own = naturalOutputOf(kind, config) ?? bare
  return { name, ...own, ...(Object.fromEntries(given) as Partial<ScoreDefinition>) }
}

/** The score that a kind gives by itself; null where only the caller can tell. */
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

/** A model that judges scores on the scale that its configuration gives it. */
function scaleOutputOf(scale: unknown): OutputForm | null {
  const { type, min, max, labels } = (scale ?? {}) as Scale
  if (type === 'rubric' && typeof min === 'number' && typeof max === 'number') {
    return { ...bare, data_type: 'numeric', min, max }
  }
  if (type !== 'choice' || typeof labels !== 'object' || labels === null) return null
  return { ...bare, data_type: 'categorical', labels: labels as Readonly<Record<string, number>> }
}
