/** Creates rule sets for benchmarks and fault tests of evaluation: offline rules and a sampled
 * judge.
 */
import type { EvaluatorVersion } from '../core/evaluation/evaluator-definition.ts'
import type { ResolvedRule, RuleSet } from '../core/evaluation/rule.ts'
import { completeDraft } from '../evaluators/complete-draft.ts'
import type { EvaluatorInput } from '../evaluators/complete-draft.ts'
import { configHashOf } from '../evaluators/config-hash.ts'
import { defaultRuleSet } from '../evaluators/default-rule-set.ts'

/** Rules to add to the default rule. */
interface RuleSettings {
  readonly isOffline: boolean
  /** ID of the judge's connection, or null for no judge. */
  readonly connectionId: string | null
}

/** Share of decisions that the judge evaluates, from 0 to 1. */
export const judgedRate = 0.1
const judgeTimeoutMs = 6000

const offlineDrafts: readonly EvaluatorInput[] = [
  { name: 'short', kind: 'heuristic', config: { check: 'length', max: 400, unit: 'words' } },
  { name: 'polite', kind: 'regex', config: { pattern: 'please|thank|answer', flags: 'i' } },
  { name: 'as_expected', kind: 'similarity', config: { method: 'levenshtein' } }
]

function judgeDraft(connectionId: string): EvaluatorInput {
  const config = {
    connection_id: connectionId,
    model: 'grader',
    prompt: 'The question: {{input}}\nThe answer: {{output}}\nDoes the answer help?',
    scale: { type: 'rubric', min: 1, max: 5 }
  }
  return { name: 'helpful', kind: 'llm_judge', config, timeout_ms: judgeTimeoutMs }
}

export function makeRuleSet({ isOffline, connectionId }: RuleSettings): RuleSet {
  const offline = isOffline ? offlineDrafts.map((draft) => ruleOf(draft, 1)) : []
  const judged = connectionId === null ? [] : [ruleOf(judgeDraft(connectionId), judgedRate)]
  return { version: 1, rules: [...defaultRuleSet.rules, ...offline, ...judged] }
}

function ruleOf(draft: EvaluatorInput, rate: number): ResolvedRule {
  return {
    rule_id: `rul_${draft.name}`,
    name: draft.name,
    enabled: true,
    match: {},
    sampling: { rate, key: 'decision', cohort: 'default' },
    budget: { usd_per_day: null, calls_per_day: null, on_exhausted: 'skip' },
    ttl_seconds: 86_400,
    max_attempts: 8,
    evaluators: [versionOf(draft)]
  }
}

function versionOf(given: EvaluatorInput): EvaluatorVersion {
  const draft = completeDraft(given)
  return {
    ...draft,
    evaluator_id: `evl_${draft.name}`,
    version: 1,
    config_hash: configHashOf(draft)
  }
}

export interface Statement {
  readonly text: string
  readonly values: readonly unknown[]
}

/**
 * Returns SQL statements that insert the same rows as the API: rule set, evaluator versions and
 * judge connection.
 */
export function rowsOfRules(organizationId: string, settings: RuleSettings, baseUrl: string) {
  const ruleSet = makeRuleSet(settings)
  const own = ruleSet.rules.filter(({ rule_id }) => rule_id.startsWith('rul_'))
  const statements: Statement[] = [
    {
      text: `insert into rule_sets (organization_id, version, content, created_by)
             values ($1, $2, $3, 'bench')`,
      values: [organizationId, ruleSet.version, JSON.stringify(ruleSet)]
    },
    ...own.flatMap(({ evaluators }) => evaluators.map((each) => insertOf(organizationId, each)))
  ]
  if (settings.connectionId !== null) {
    statements.push({
      text: `insert into evaluation_connections
               (organization_id, connection_id, name, kind, base_url, models, concurrency_max)
             values ($1, $2, 'judge', 'openai_compatible', $3, $4, 64)`,
      values: [organizationId, settings.connectionId, baseUrl, JSON.stringify(prices)]
    })
  }
  return statements
}

const prices = [{ model: 'grader', usd_per_million_input: 0.15, usd_per_million_output: 0.6 }]

function insertOf(organizationId: string, version: EvaluatorVersion): Statement {
  const { evaluator_id, version: number, name, kind, config, output } = version
  return {
    text: `insert into evaluator_versions (organization_id, evaluator_id, version, name, kind,
             config, output, timeout_ms, config_hash, created_by)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'bench')`,
    values: [
      organizationId,
      evaluator_id,
      number,
      name,
      kind,
      JSON.stringify(config),
      JSON.stringify(output),
      version.timeout_ms,
      version.config_hash
    ]
  }
}
