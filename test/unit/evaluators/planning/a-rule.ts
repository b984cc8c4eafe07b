/** Builds rules and versions for tests. Each test sets only what it needs. */
import type { EvaluatorVersion } from '../../../../core/evaluation/evaluator-definition.ts'
import type { ResolvedRule } from '../../../../core/evaluation/rule.ts'

export function aVersion(overrides: Partial<EvaluatorVersion> = {}): EvaluatorVersion {
  const name = overrides.name ?? 'short'
  return {
    evaluator_id: `evl_${name}`,
    name,
    kind: 'heuristic',
    version: 1,
    description: null,
    config: { check: 'length', max: 100, unit: 'characters' },
    output: {
      ...{ name, data_type: 'boolean', min: null, max: null, labels: null, pass: null },
      ...{ threshold: null, direction: 'higher' }
    },
    timeout_ms: 1000,
    config_hash: 'sha256:00',
    ...overrides
  }
}

export function aRule(overrides: Partial<ResolvedRule> = {}): ResolvedRule {
  return {
    rule_id: 'rul_1',
    name: 'refunds',
    enabled: true,
    match: {},
    sampling: { rate: 1, key: 'decision', cohort: 'default' },
    budget: { usd_per_day: null, calls_per_day: null, on_exhausted: 'skip' },
    ttl_seconds: 86_400,
    max_attempts: 8,
    evaluators: [aVersion()],
    ...overrides
  }
}
