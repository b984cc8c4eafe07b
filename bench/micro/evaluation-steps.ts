/** Offline evaluation: what the default rule costs, and what an organization adds to it. */
import type { Decision } from '../../core/decision/decision.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import { completeDraft } from '../../evaluators/complete-draft.ts'
import type { GivenDraft } from '../../evaluators/complete-draft.ts'
import { configHashOf } from '../../evaluators/config-hash.ts'
import { builtInEvaluators } from '../../evaluators/default-rule-set.ts'
import { createEvaluatorCache } from '../../evaluators/evaluator-cache.ts'
import { createSessionMemory } from '../../evaluators/heuristics/session-memory.ts'
import { runEvaluators } from '../../evaluators/run-evaluators.ts'
import { subjectOf } from '../../evaluators/subject.ts'
import { shapes } from '../load/shapes.ts'
import type { Step } from './steps.ts'

const received = 1_700_000_000_000
const perBatch = 100
/** Of nearly all decisions it is known what the right answer would have been. */
const expected = 'the customer gets the full price back because the parcel came late'

/** Three that many would configure: how long, what it must not say, how near to what is right. */
const configured: readonly GivenDraft[] = [
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

export function makeEvaluationSteps(): Step[] {
  const decisions = shapes.decision.bodies().map(({ content }, at) => decisionOf(content, at))
  const own = configured.map(versionOf)
  return [
    stepOf('evaluate, default rule', decisions, builtInEvaluators),
    stepOf('evaluate, default and 3 own', decisions, [...builtInEvaluators, ...own])
  ]
}

/** A batch at a time, as the consumer does it. */
function stepOf(
  name: string,
  decisions: readonly Decision[],
  versions: readonly EvaluatorVersion[]
): Step {
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

function versionOf(given: GivenDraft): EvaluatorVersion {
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
