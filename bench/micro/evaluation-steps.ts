/** Creates the evaluation steps for --micro: the built-in evaluators alone, and with three
 * configured ones.
 */
import type { Decision } from '../../core/decision/decision.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import { completeDraft } from '../../evaluators/complete-draft.ts'
import type { EvaluatorInput } from '../../evaluators/complete-draft.ts'
import { configHashOf } from '../../evaluators/config-hash.ts'
import { builtInEvaluators } from '../../evaluators/default-rule-set.ts'
import { createEvaluatorCache } from '../../evaluators/evaluator-cache.ts'
import { createSessionMemory } from '../../evaluators/heuristics/session-memory.ts'
import { runEvaluators } from '../../evaluators/run-evaluators.ts'
import { subjectOf } from '../../evaluators/subject.ts'
import { shapes } from '../load/shapes.ts'
import type { MicroStep } from './steps.ts'

const received = 1_700_000_000_000
const perBatch = 100
/** Expected output in the metadata of every decision. */
const expected = 'the customer gets the full price back because the parcel came late'

/** Three common evaluators: a length limit, a forbidden pattern and a similarity check. */
const configured: readonly EvaluatorInput[] = [
  { name: 'brief', kind: 'heuristic', config: { check: 'length', max: 400, unit: 'words' } },
  {
    name: 'no_promises',
    kind: 'regex',
    config: {
      pattern: String.raw`\b(?:guarantee[ds]?|refund within \d+ days|legal advice)\b`,
      flags: 'i',
      must_match: false
    }
  },
  { name: 'near', kind: 'similarity', config: { method: 'levenshtein', case_sensitive: false } }
]

export function makeEvaluationSteps(): MicroStep[] {
  const decisions = shapes.decision.bodies().map(({ content }, at) => decisionOf(content, at))
  const own = configured.map(versionOf)
  return [
    stepOf('evaluate, default rule', decisions, builtInEvaluators),
    stepOf('evaluate, default and 3 own', decisions, [...builtInEvaluators, ...own])
  ]
}

/** Creates a step that evaluates a whole batch per call, as the consumer does. */
function stepOf(
  name: string,
  decisions: readonly Decision[],
  versions: readonly EvaluatorVersion[]
): MicroStep {
  const compile = createEvaluatorCache({ sessions: createSessionMemory() })
  const batches = decisions.length / perBatch
  return {
    name,
    decisions: perBatch,
    run: (at) => {
      const start = (at % batches) * perBatch
      const jobs = decisions.slice(start, start + perBatch).flatMap((decision) => {
        const subject = subjectOf(decision)
        return versions.map((version) => ({ evaluator: compile(version), subject }))
      })
      return runEvaluators(jobs)
    }
  }
}

function versionOf(given: EvaluatorInput): EvaluatorVersion {
  const draft = completeDraft(given)
  return { ...draft, evaluator_id: given.name, version: 1, config_hash: configHashOf(draft) }
}

function decisionOf(content: Buffer, at: number): Decision {
  const { input, output, agent_id, metadata } = JSON.parse(content.toString()) as {
    readonly input: unknown
    readonly output: string
    readonly agent_id: string
    readonly metadata: object
  }
  return {
    decision_id: `01938c4e-5b7a-7c3e-9f00-${String(at).padStart(12, '0')}`,
    organization_id: '01938c4e-5b7a-7c3e-9f00-2f6d1c1b8a55',
    received_at: received,
    input: JSON.stringify(input),
    output,
    agent_id,
    session_id: `session-${Math.floor(at / 10)}`,
    domain: null,
    metadata: JSON.stringify({ ...metadata, expected }),
    input_tokens: 420,
    output_tokens: 96,
    sdk_version: null
  }
}
