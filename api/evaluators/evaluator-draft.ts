/** An evaluator as a caller describes it: checked, filled in, and merged with what it was. */
import type {
  EvaluatorDraft,
  EvaluatorVersion
} from '../../core/evaluation/evaluator-definition.ts'
import type { ScoreDefinition } from '../../core/evaluation/evaluator-definition.ts'
import type { Violation } from '../../core/problem.ts'
import { checkEvaluator } from '../../evaluators/check-evaluator.ts'
import { completeDraft, naturalOutputOf } from '../../evaluators/complete-draft.ts'
import type { GivenDraft } from '../../evaluators/complete-draft.ts'
import { invalidBody } from '../configuration/refusals.ts'

/** The body of POST; that of PATCH has some of it, and no kind. */
export type EvaluatorBody = GivenDraft & {
  /** Whether a judge is attacked before it is saved; true when nothing is said. */
  readonly self_test?: boolean
}

export type EvaluatorPatch = Partial<Omit<EvaluatorBody, 'kind'>>

/** Everything that is wrong with a body, in one go. */
export function checkEvaluatorBody(body: unknown): readonly Violation[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return checkEvaluator(body)
  const { self_test, ...given } = body as Record<string, unknown>
  return [...checkEvaluator(given), ...checkSwitch(self_test)]
}

function checkSwitch(selfTest: unknown): Violation[] {
  if (selfTest === undefined || typeof selfTest === 'boolean') return []
  return [{ pointer: '/self_test', detail: 'must be a boolean' }]
}

/** @param body that `checkEvaluatorBody` has nothing against */
export function evaluatorDraftOf(body: EvaluatorBody): EvaluatorDraft {
  return completeDraft(withoutSwitch(body))
}

function withoutSwitch<B extends { self_test?: boolean }>({ self_test: _, ...given }: B) {
  return given
}

/**
 * What is left out stays, and what a member leaves out is the kind's own.
 * @throws {Problem} 422 when that is no evaluator
 */
export function mergedDraftOf(before: EvaluatorVersion, patch: EvaluatorPatch): EvaluatorDraft {
  const { name, kind, description, config, timeout_ms } = before
  const kept = { name, kind, description, config, timeout_ms, output: givenOutputOf(before) }
  const given = { ...kept, ...withoutSwitch(patch) }
  const errors = checkEvaluator(given)
  if (errors.length > 0) throw invalidBody(errors)
  return completeDraft(given)
}

/** What somebody said of the score, and not its kind: the rest follows the configuration. */
function givenOutputOf({ name, kind, config, output }: EvaluatorVersion): Partial<ScoreDefinition> {
  const own: Readonly<Record<string, unknown>> = { name, ...naturalOutputOf(kind, config) }
  const said = Object.entries(output).filter(
    ([member, value]) => JSON.stringify(value) !== JSON.stringify(own[member] ?? null)
  )
  return Object.fromEntries(said)
}
