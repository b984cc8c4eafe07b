/** Stores scores from users and programs. Each score is accepted or rejected separately. If a run
 * is waiting for an accepted score, the score ends that run.
 */
import type { ScoreDefinition } from '../../../core/evaluation/evaluator-definition.ts'
import { pushRuleId } from '../../../core/evaluation/rule.ts'
import { uuidv7 } from '../../../core/ids/ids.ts'
import { runIdOf, scoreIdOf } from '../../../core/ids/run-id.ts'
import type { Principal } from '../../../core/principal.ts'
import { Problem, sentenceOf } from '../../../core/problem.ts'
import type { Violation } from '../../../core/problem.ts'
import { applyScoreDefinition } from '../../../evaluators/apply-score-definition.ts'
import { EvaluatorFailure } from '../../../evaluators/evaluator.ts'
import type { Finding } from '../../../evaluators/evaluator.ts'
import { createCheck } from '../../../platform/validation/json-schema.ts'
import type { Services } from '../../services.ts'
import { decisionNotFound, readWatermark } from '../../watermark.ts'
import { readPushContext, writePushes } from './push-queries.ts'
import type { ExternalVersion, Push, PushContext, PushItem } from './push-queries.ts'
import type { ScoredDecision, ScoreSource, WaitingRun } from './push-queries.ts'
import { pushedScore } from './schemas.ts'
import type { PushedScore } from './schemas.ts'

const pushesPerDecisionMax = 1000
const checkPushedScore = createCheck(pushedScore)

/** The accepted score, or the problem. Null if the score already exists. */
export type PushResult = Push | Problem | null

export interface PushedResult {
  readonly id: string
  readonly result: PushResult
}

/** Stores scores. Returns one result per score, in the order sent. */
export async function pushScores(
  principal: Principal,
  scores: readonly unknown[],
  { store, decisionsTopic, clock }: Pick<Services, 'store' | 'decisionsTopic' | 'clock'>
): Promise<readonly PushedResult[]> {
  const pushedAt = clock.now()
  const organizationId = principal.organization_id
  const db = store.of(organizationId)
  const given = scores.map((score) => parseItem(score, organizationId, pushedAt))
  const items = given.flatMap(({ item }) => (item instanceof Problem ? [] : [item]))
  const watermark = await readWatermark(db, decisionsTopic)
  // Erased decisions get the same response as decisions that never existed.
  const missing = () => decisionNotFound(watermark, pushedAt, clock)
  return await db.change(async (transaction) => {
    const context = await readPushContext(transaction, organizationId, items)
    const validate = createValidate(context, principal, missing)
    const results = given.map(({ id, item }) => {
      return { id, result: item instanceof Problem ? item : validate(item) }
    })
    const pushes = results.flatMap(({ result }) =>
      result === null || result instanceof Problem ? [] : [result]
    )
    await writePushes(transaction, organizationId, { pushes, pushedAt })
    return results
  })
}

/** Parses a score, and derives the run id and the stored score's id from the id of the score. */
function parseItem(
  score: unknown,
  organization_id: string,
  now: number
): { readonly id: string; readonly item: PushItem | Problem } {
  const errors = checkPushedScore(score)
  if (errors.length > 0) return { id: uuidv7(now), item: invalidScore(errors) }
  const given = score as PushedScore
  const id = given.id?.toLowerCase() ?? uuidv7(now)
  const decision_id = given.decision_id.toLowerCase()
  const origin = { organization_id, decision_id, rule_id: pushRuleId, evaluator_id: id }
  const run_id = runIdOf({ ...origin, version: 0, generation: 0 })
  const score_id = scoreIdOf(run_id, pushRuleId)
  return { id, item: { ...given, id, decision_id, run_id, score_id } }
}

/**
 * Creates a function that validates one score. Call it for the scores in the order sent, because
 * earlier scores take precedence when scores are matched to waiting runs.
 * @param missing creates the problem for decisions that do not exist
 */
function createValidate(context: PushContext, principal: Principal, missing: () => Problem) {
  const taken = new Set<WaitingRun>()
  const known = new Set(context.known)
  const pushes = new Map(context.pushes)

  function exceedsLimit(decisionId: string): boolean {
    const count = (pushes.get(decisionId) ?? 0) + 1
    pushes.set(decisionId, count)
    return count > pushesPerDecisionMax
  }

  function validateScore(item: PushItem, decision: ScoredDecision): Push | Problem {
    const waiting = waitingFor(context, item, taken)
    const version = versionOf(context, item, waiting)
    if (version instanceof Problem) return version
    const score = interpretScore(item, version?.output ?? null)
    if (score instanceof Problem) return score
    if (waiting === null && exceedsLimit(item.decision_id)) return tooManyPushes()
    if (waiting !== null) taken.add(waiting)
    return { item, decision, ...score, source: sourceOf(item, principal), version, waiting }
  }

  return function validate(item: PushItem): PushResult {
    if (item.evaluator_id && isFeedbackOnly(principal)) return evaluationScopeMissing()
    const decision = context.decisions.get(item.decision_id)
    if (decision === undefined) return missing()
    const name = `${item.decision_id}/${item.score_id}`
    if (known.has(name)) return null
    const result = validateScore(item, decision)
    if (!(result instanceof Problem)) known.add(name)
    return result
  }
}

function waitingFor({ waiting }: PushContext, item: PushItem, taken: ReadonlySet<WaitingRun>) {
  const found = waiting.find(
    (run) =>
      run.decision_id === item.decision_id &&
      run.evaluator_id === item.evaluator_id &&
      !taken.has(run)
  )
  return found ?? null
}

/**
 * Returns the evaluator version that the waiting run was planned with. Without a waiting run,
 * returns the latest version.
 */
function versionOf(
  { versions }: PushContext,
  { evaluator_id }: PushedScore,
  waiting: WaitingRun | null
): ExternalVersion | null | Problem {
  if (!evaluator_id) return null
  const ofEvaluator = versions.filter((version) => version.evaluator_id === evaluator_id)
  const found = ofEvaluator.find(({ version, is_latest }) =>
    waiting === null ? is_latest : version === waiting.evaluator_version
  )
  if (found === undefined) {
    const detail = `No evaluator with the id ${evaluator_id} exists.`
    const errors = [{ pointer: '/evaluator_id', detail: 'is not the id of an evaluator' }]
    return new Problem('evaluator_not_found', { detail, errors })
  }
  if (found.kind === 'external') return found
  const detail = `is of the kind ${found.kind}; only external evaluators accept scores`
  return invalidScore([{ pointer: '/evaluator_id', detail }])
}

function sourceOf({ source, source_id }: PushedScore, principal: Principal): ScoreSource {
  if (source === 'end_user' || isFeedbackOnly(principal)) {
    return { source_kind: 'end_user', source_id: source_id ?? null }
  }
  return principal.kind === 'session'
    ? { source_kind: 'human', source_id: principal.user_id }
    : { source_kind: 'api', source_id: principal.key_id }
}

/**
 * Checks whether the API key can only send feedback. Such keys can be embedded in web pages, so
 * their scores are always attributed to end users.
 */
function isFeedbackOnly(principal: Principal): boolean {
  if (principal.kind === 'session') return false
  return !principal.scopes.some((scope) => scope === 'evaluation:write' || scope === 'admin')
}

function evaluationScopeMissing(): Problem {
  const detail =
    'A key with only the scope feedback:write cannot send scores for an evaluator. Omit ' +
    '`evaluator_id`, or use a key with the scope evaluation:write.'
  const errors = [{ pointer: '/evaluator_id', detail: 'requires the scope evaluation:write' }]
  return new Problem('scope_missing', { detail, errors, members: { scope: 'evaluation:write' } })
}

export function invalidScore(errors: readonly Violation[]): Problem {
  return new Problem('invalid_body', { detail: sentenceOf('The score', errors), errors })
}

function tooManyPushes(): Problem {
  const detail = `A decision can have at most ${pushesPerDecisionMax} unplanned scores.`
  return new Problem('limit_reached', { detail, members: { limit: pushesPerDecisionMax } })
}

/**
 * Converts a score to a finding.
 * @param defined the evaluator's definition of the score; null for a score without an evaluator
 */
function interpretScore(
  item: PushedScore,
  defined: ScoreDefinition | null
): Pick<Push, 'finding' | 'output'> | Problem {
  const output = defined ?? freeDefinitionOf(item)
  const wrong = [...nameViolations(item, output), ...valueViolations(item, output)]
  if (wrong.length > 0) return invalidScore(wrong)
  const finding = findingOf(item, output)
  if (defined === null) return { finding, output }
  try {
    return { finding: applyScoreDefinition(finding, output), output }
  } catch (error) {
    if (!(error instanceof EvaluatorFailure)) throw error
    const pointer = error.status_reason === 'unknown_label' ? '/label' : '/value'
    return invalidScore([{ pointer, detail: `${error.status_reason}: ${error.message}` }])
  }
}

/**
 * Returns a definition for a score without an evaluator. It accepts any name and scale, and prefers
 * neither high nor low values.
 */
function freeDefinitionOf({ name, data_type, value, label }: PushedScore): ScoreDefinition {
  const guessed = typeof value === 'number' ? 'numeric' : label ? 'categorical' : 'boolean'
  return {
    name: name ?? '',
    data_type: data_type ?? guessed,
    min: null,
    max: null,
    pass: null,
    threshold: null,
    direction: 'none',
    labels: null
  }
}

function nameViolations({ name, data_type }: PushedScore, output: ScoreDefinition): Violation[] {
  const wrong: Violation[] = []
  if (output.name === '') wrong.push({ pointer: '/name', detail: 'is required' })
  if (name && name !== output.name) {
    wrong.push({
      pointer: '/name',
      detail: `must be ${output.name}, the name that its evaluator defines`
    })
  }
  if (data_type && data_type !== output.data_type) {
    wrong.push({ pointer: '/data_type', detail: `must be ${output.data_type}` })
  }
  return wrong
}

function valueViolations(item: PushedScore, output: ScoreDefinition): Violation[] {
  const { label } = item
  const value = valueOf(item)
  const wrong: Violation[] = []
  if (isEmpty(item)) {
    return [{ pointer: '/value', detail: 'is required if label and passed are missing' }]
  }
  const needsLabel = output.data_type === 'categorical' || output.data_type === 'text'
  if (needsLabel && !label) wrong.push({ pointer: '/label', detail: 'is required' })
  if (output.data_type === 'numeric' && typeof value !== 'number') {
    wrong.push({ pointer: '/value', detail: 'must be a number' })
  }
  if (output.data_type === 'boolean' && typeof value !== 'boolean') {
    wrong.push({ pointer: '/value', detail: 'must be true or false' })
  }
  return wrong
}

function isEmpty({ data_type, evaluator_id, value, label, passed }: PushedScore): boolean {
  const said = [data_type, evaluator_id, value, label, passed]
  return said.every((member) => member === null || member === undefined)
}

/**
 * Returns the value of the score. For a boolean score without an evaluator, this can be `passed`.
 */
function valueOf(item: PushedScore): number | boolean | null {
  const { evaluator_id, data_type, value, label, passed } = item
  const isAlone = !evaluator_id && !label && (data_type ?? 'boolean') === 'boolean'
  return value ?? (isAlone ? passed : null) ?? null
}

/**
 * Returns whether a boolean value passes; null if the value is not a boolean or the definition
 * prefers neither value.
 */
function impliedPass(value: unknown, { direction }: ScoreDefinition): boolean | null {
  if (typeof value !== 'boolean' || direction === 'none') return null
  return value === (direction === 'higher')
}

function findingOf(item: PushedScore, output: ScoreDefinition): Finding {
  const { label = null, passed, reason, confidence, evidence } = item
  const value = valueOf(item)
  return {
    kind: 'finding',
    data_type: output.data_type,
    value: value === null ? null : Number(value),
    label,
    passed: passed ?? impliedPass(value, output),
    reason: reason ?? '',
    ...(evidence && { evidence }),
    ...(typeof confidence === 'number' && { confidence })
  }
}
