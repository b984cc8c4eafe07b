/** A rule as a caller describes it, filled in and checked against the evaluators there are. */
import type { Violation } from '../../core/problem.ts'
import type {
  EvaluatorReference,
  Rule,
  RuleBudget,
  RuleSampling
} from '../../core/evaluation/rule.ts'
import type { OrganizationRows } from '../configuration/take-turn.ts'
import { readReferences } from './read-references.ts'

/** The body of POST; that of PATCH has some of it. */
export interface RuleBody {
  readonly name: string
  readonly evaluators: readonly Partial<EvaluatorReference>[]
  readonly enabled?: boolean
  readonly match?: Rule['match']
  readonly sampling?: Partial<RuleSampling>
  readonly budget?: Partial<RuleBudget>
  readonly ttl_seconds?: number
  readonly max_attempts?: number
}

const fresh = {
  enabled: true,
  match: {},
  sampling: { rate: 1, key: 'decision', cohort: 'default' },
  budget: { usd_per_day: null, calls_per_day: null, on_exhausted: 'skip' },
  ttl_seconds: 86_400,
  max_attempts: 8
} as const

/**
 * Each member that is said replaces the old one whole: what it leaves out gets its default.
 * @param before the rule that is changed; null for a new one
 */
export function ruleDraftOf(ruleId: string, body: Partial<RuleBody>, before: Rule | null): Rule {
  const kept = before ?? { ...fresh, name: '', evaluators: [] }
  const { sampling, budget, evaluators } = body
  const { name, enabled, match, ttl_seconds, max_attempts } = { ...kept, ...body }
  return {
    rule_id: ruleId,
    ...{ name, enabled, match },
    sampling: sampling === undefined ? kept.sampling : { ...fresh.sampling, ...sampling },
    evaluators: evaluators === undefined ? kept.evaluators : evaluators.map(referenceOf),
    budget: budget === undefined ? kept.budget : { ...fresh.budget, ...budget },
    ...{ ttl_seconds, max_attempts }
  }
}

function referenceOf(reference: Partial<EvaluatorReference>): EvaluatorReference {
  const { evaluator_id = '', version = 'latest' } = reference
  return { evaluator_id, version }
}

/**
 * Evaluators that do not exist, and ones that are named twice: what readers see of a rule is one
 * run for each of its evaluators, whatever the version.
 */
export async function checkReferences(
  ours: OrganizationRows,
  { evaluators }: Pick<Rule, 'evaluators'>
): Promise<readonly Violation[]> {
  const versionOf = await readReferences(ours, evaluators)
  const seen = new Set<string>()
  return evaluators.flatMap((reference, index): Violation[] => {
    const pointer = `/evaluators/${index}`
    const found = versionOf(reference)
    if (found === undefined) return [missing(pointer, versionOf, reference)]
    if (seen.has(found.evaluator_id)) {
      const detail = 'is in the list already; another version of it belongs in a rule of its own'
      return [{ pointer: `${pointer}/evaluator_id`, detail }]
    }
    seen.add(found.evaluator_id)
    return []
  })
}

function missing(
  pointer: string,
  versionOf: Awaited<ReturnType<typeof readReferences>>,
  { evaluator_id }: EvaluatorReference
): Violation {
  const latest = versionOf({ evaluator_id, version: 'latest' })
  if (latest === undefined) {
    return { pointer: `${pointer}/evaluator_id`, detail: 'names no evaluator of yours' }
  }
  const detail = `names no version of it; the latest is ${latest.version}`
  return { pointer: `${pointer}/version`, detail }
}
