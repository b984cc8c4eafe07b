/** Validates a submission: returns a decision, or throws a problem that lists its errors. */
import type { Clock } from '../../core/clock.ts'
import type { Decision } from '../../core/decision/decision.ts'
import { isUuid, uuidv7 } from '../../core/ids/ids.ts'
import { membersMax } from '../../core/json/json-members.ts'
import type { JsonMember } from '../../core/json/json-members.ts'
import { pointerTo } from '../../core/json/json-pointer.ts'
import { Problem } from '../../core/problem.ts'
import type { Violation } from '../../core/problem.ts'
import { hasLoneSurrogate } from '../../core/json/surrogates.ts'
import { isWholeNumber } from '../../core/json/whole-number.ts'
import { createCheck } from '../../platform/validation/json-schema.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import { decisionBodySchema } from '../../schemas/index.ts'
import type { KeyPrincipal } from '../../core/principal.ts'
import { depthMax, exceedsScanLimits } from './parse.ts'
import type { Submission } from './parse.ts'

/**
 * Validates a submission. Uses `id` as the decision_id, or generates one.
 * @throws {Problem} 422 with the errors, at most `violationsMax`
 */
export type Validate = (
  submission: Submission,
  principal: KeyPrincipal,
  id: string | null
) => Decision

/** A body that matches `decisionBodySchema`. */
interface Body {
  readonly output: string
  readonly decision_id?: string | null
  readonly agent_id?: string | null
  readonly session_id?: string | null
  readonly domain?: string | null
  readonly input_tokens?: number | null
  readonly output_tokens?: number | null
  readonly sdk_version?: string | null
}

/** The members that the gateway adds. */
type Receipt = Pick<Decision, 'decision_id' | 'organization_id' | 'received_at'>

/** Maximum number of errors in a response. */
const violationsMax = 100
/** Maximum length of a member name that a response repeats. */
const nameMax = 256
const knownMembers = new Set(Object.keys(decisionBodySchema['properties'] as object))

export function createValidate(dependencies: { clock: Clock; metrics: Metrics }): Validate {
  const { clock, metrics } = dependencies
  const check = createCheck(decisionBodySchema)

  return function validate(submission, principal, id) {
    const found = exceedsScanLimits(submission) ? [] : check(submission.value)
    const violations = isPlain(submission) ? found : [...textViolations(submission), ...found]
    if (violations.length > 0) throw invalidDecision(violations)
    refuseRounded(submission)
    const known = knownOf(submission)
    const unknown = submission.members.length - known.length
    if (unknown > 0) metrics.count('sluice_ingest_unknown_members_total', {}, unknown)
    const received_at = clock.now()
    const decision_id = id ?? uuidv7(received_at)
    const { organization_id } = principal
    return decisionOf(submission, known, { decision_id, organization_id, received_at })
  }
}

/**
 * Checks for the usual case, in which the text has neither duplicate members nor unpaired
 * surrogates, so that the members need not be checked one by one.
 */
function isPlain(submission: Submission): boolean {
  const { text, value, members, broken } = submission
  const names = value === null ? 0 : Object.keys(value as object).length
  if (exceedsScanLimits(submission) || names !== members.length) return false
  return broken === null ? !hasLoneSurrogate(text) : broken.size === 0
}

/** Returns the caller's decision_id in lower case, or null if there is no valid one. */
export function idOf(item: Submission | Problem): string | null {
  if (item instanceof Problem) return null
  const { decision_id } = (item.value ?? {}) as Partial<Body>
  return typeof decision_id === 'string' && isUuid(decision_id) ? decision_id.toLowerCase() : null
}

/**
 * Builds the decision as one object literal, because V8 would build a merged object property by
 * property.
 */
function decisionOf(
  { text, value }: Submission,
  known: readonly JsonMember[],
  { decision_id, organization_id, received_at }: Receipt
): Decision {
  const body = value as Body
  const metadata = rawOf(text, known, 'metadata')
  return {
    decision_id,
    organization_id,
    received_at,
    // The text of the value, exactly as sent.
    input: rawOf(text, known, 'input') ?? 'null',
    output: body.output,
    metadata: metadata === 'null' ? null : metadata,
    // Absent members become null. An empty agent_id means no agent.
    agent_id: body.agent_id || null,
    session_id: body.session_id ?? null,
    domain: body.domain ?? null,
    input_tokens: body.input_tokens ?? null,
    output_tokens: body.output_tokens ?? null,
    sdk_version: body.sdk_version ?? null
  }
}

/** Returns the text of a member's value, exactly as sent, or null if the member is absent. */
function rawOf(text: string, members: readonly JsonMember[], name: string): string | null {
  for (const member of members) {
    if (member.name === name) return text.slice(member.start, member.end)
  }
  return null
}

/**
 * Rejects fractional token counts. Checks the literal, because the parsed double may have lost a
 * small fraction.
 */
function refuseRounded({ text, value, members }: Submission): void {
  const body = value as Body
  for (const name of ['input_tokens', 'output_tokens'] as const) {
    const count = body[name] ?? null
    if (count === null) continue
    const literal = rawOf(text, members, name) ?? ''
    if (literal === String(count) || isWholeNumber(literal)) continue
    throw invalidDecision([{ pointer: `/${name}`, detail: 'must be a whole number or null' }])
  }
}

/**
 * Returns the errors that only the text shows, because a parsed value hides duplicate members and
 * unpaired surrogates.
 */
function textViolations(submission: Submission): Violation[] {
  if (exceedsScanLimits(submission)) return [limitViolation(submission)]
  const { members } = submission
  const broken = submission.broken ?? findBroken(submission)
  const seen = new Set<string>()
  return members.flatMap((member) => [
    ...(seen.size === seen.add(member.name).size ? [duplicateViolation(member)] : []),
    // Unknown members are not stored, so their surrogates are harmless.
    ...(broken.has(member) && knownMembers.has(member.name) ? [surrogateViolation(member)] : [])
  ])
}

function findBroken({ text, members }: Submission): ReadonlySet<JsonMember> {
  if (!hasLoneSurrogate(text)) return new Set()
  return new Set(members.filter(({ start, end }) => hasLoneSurrogate(text.slice(start, end))))
}

function knownOf({ members }: Submission): readonly JsonMember[] {
  return members.filter((member) => knownMembers.has(member.name))
}

function limitViolation({ tooDeepIn }: Submission): Violation {
  return tooDeepIn === null
    ? { pointer: '', detail: `has more than ${membersMax} members` }
    : { pointer: placeOf(tooDeepIn), detail: `nests deeper than ${depthMax} levels` }
}

function duplicateViolation({ name }: JsonMember): Violation {
  const pointer = placeOf(name)
  return pointer === ''
    ? { pointer, detail: 'has a member with a very long name more than once' }
    : { pointer, detail: 'appears more than once' }
}

function surrogateViolation({ name }: JsonMember): Violation {
  return {
    pointer: pointerTo(name),
    detail: 'contains an unpaired surrogate'
  }
}

/**
 * Returns a pointer to a member. Omits a very long name, because it would make the response as long
 * as the body.
 */
function placeOf(name: string): string {
  return name.length > nameMax ? '' : pointerTo(name)
}

function invalidDecision(violations: readonly Violation[]): Problem {
  const [first] = violations
  const where = first?.pointer === '' ? 'The decision' : first?.pointer
  const more = violations.length > 1 ? `, and ${violations.length - 1} more` : ''
  return new Problem('invalid_decision', {
    detail: `${where} ${first?.detail}${more}.`,
    errors: violations.slice(0, violationsMax)
  })
}
