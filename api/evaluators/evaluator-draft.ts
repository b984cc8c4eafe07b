/** An evaluator as a caller describes it: checked, filled in, and merged with what it was. */
import type {
  EvaluatorDraft,
  EvaluatorVersion
} from '../../core/evaluation/evaluator-definition.ts'
import type { ScoreDefinition } from '../../core/evaluation/evaluator-definition.ts'
import { completeDraft, naturalOutputOf } from '../../evaluators/complete-draft.ts'
import type { GivenDraft } from '../../evaluators/complete-draft.ts'
import { invalidBody } from '../configuration/refusals.ts'
import type { TenantCompute } from './tenant-compute.ts'

/** The body of POST; that of PATCH has some of it, and no kind. */
export type EvaluatorBody = GivenDraft & {
  /** Whether a judge is attacked before it is saved; true when nothing is said. */
  readonly self_test?: boolean
}

export type EvaluatorPatch = Partial<Omit<EvaluatorBody, 'kind'>>

/**
 * @param given as a caller wrote it, or as `mergedDraftOf` made it
 * @param place of it in the body, as a pointer
 * @throws {Problem} 422 when that is no evaluator; 429 or 503 when it cannot be checked now
 */
export async function checkedDraftOf(
  compute: Pick<TenantCompute, 'check'>,
  organizationId: string,
  { given, place = '' }: { readonly given: EvaluatorBody; readonly place?: string }
): Promise<EvaluatorDraft> {
  const errors = await compute.check(organizationId, given)
  if (errors.length === 0) return completeDraft(withoutSwitch(given))
  throw invalidBody(errors.map(({ pointer, detail }) => ({ pointer: place + pointer, detail })))
}

function withoutSwitch<B extends { self_test?: boolean }>({ self_test: _, ...given }: B) {
  return given
}

/** What is left out stays, and what a member leaves out is the kind's own. */
export function mergedDraftOf(before: EvaluatorVersion, patch: EvaluatorPatch): GivenDraft {
  const { name, kind, description, config, timeout_ms } = before
  const kept = { name, kind, description, config, timeout_ms, output: givenOutputOf(before) }
  return { ...kept, ...withoutSwitch(patch) }
}

/** What somebody said of the score, and not its kind: the rest follows the configuration. */
function givenOutputOf({ name, kind, config, output }: EvaluatorVersion): Partial<ScoreDefinition> {
  const own: Readonly<Record<string, unknown>> = { name, ...naturalOutputOf(kind, config) }
  const said = Object.entries(output).filter(
    ([member, value]) => JSON.stringify(value) !== JSON.stringify(own[member] ?? null)
  )
  return Object.fromEntries(said)
}
