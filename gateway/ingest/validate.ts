/** validate: a submission to a decision, or everything that is wrong with it. */
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
import { depthMax, isBomb } from './parse.ts'
import type { Submission } from './parse.ts'

/** With `id` as its decision_id, or a new one. @throws {Problem} 422 with every problem. */
export type Validate = (
  submission: Submission,
  principal: KeyPrincipal,
  id: string | null
) => Decision

/** A body that passed the schema. */
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

/** What the gateway adds to it. */
type Receipt = Pick<Decision, 'decision_id' | 'organization_id' | 'received_at'>

/** So many of them are named in one answer. */
const violationsMax = 100
/** Names up to this length are repeated in an answer. */
const nameMax = 256
const knownMembers = new Set(Object.keys(decisionBodySchema['properties'] as object))

export function createValidate(dependencies: { clock: Clock; metrics: Metrics }): Validate {
  const { clock, metrics } = dependencies
  const check = createCheck(decisionBodySchema)

  return function validate(submission, principal, id) {
    const found = isBomb(submission) ? [] : check(submission.value)
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
 * Whether the parsed value tells all that the text does, as nearly always: as many names as
 * members, so none is repeated, and no half characters. It spares a closer look at each member.
 */
function isPlain(submission: Submission): boolean {
  const { text, value, members, broken } = submission
  const names = value === null ? 0 : Object.keys(value as object).length
  if (isBomb(submission) || names !== members.length) return false
  return broken === null ? !hasLoneSurrogate(text) : broken.size === 0
}

/** The id that the caller chose, in lower case, if there is a valid one. */
export function idOf(item: Submission | Problem): string | null {
  if (item instanceof Problem) return null
  const { decision_id } = (item.value ?? {}) as Partial<Body>
  return typeof decision_id === 'string' && isUuid(decision_id) ? decision_id.toLowerCase() : null
}

/** One literal: joined of parts, it would be made property by property, for each decision. */
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
    // The text of the value, exactly as it was sent.
    input: rawOf(text, known, 'input') ?? 'null',
    output: body.output,
    metadata: metadata === 'null' ? null : metadata,
    // An absent member and a null one are the same; an empty agent_id names nobody.
    agent_id: body.agent_id || null,
    session_id: body.session_id ?? null,
    domain: body.domain ?? null,
    input_tokens: body.input_tokens ?? null,
    output_tokens: body.output_tokens ?? null,
    sdk_version: body.sdk_version ?? null
  }
}

/** Null when there is no such member. */
function rawOf(text: string, members: readonly JsonMember[], name: string): string | null {
  for (const member of members) {
    if (member.name === name) return text.slice(member.start, member.end)
  }
  return null
}

/** A fraction too small for a double was gone before the schema was asked. */
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
 * What only the text shows: a parsed value has forgotten duplicates and hides broken characters.
 */
function textViolations(submission: Submission): Violation[] {
  if (isBomb(submission)) return [bombOf(submission)]
  const { members } = submission
  const broken = submission.broken ?? findBroken(submission)
  const seen = new Set<string>()
  return members.flatMap((member) => [
    ...(seen.size === seen.add(member.name).size ? [repeated(member)] : []),
    // What is ignored need not be kept, so there it harms nobody.
    ...(broken.has(member) && knownMembers.has(member.name) ? [halved(member)] : [])
  ])
}

function findBroken({ text, members }: Submission): ReadonlySet<JsonMember> {
  if (!hasLoneSurrogate(text)) return new Set()
  return new Set(members.filter(({ start, end }) => hasLoneSurrogate(text.slice(start, end))))
}

function knownOf({ members }: Submission): readonly JsonMember[] {
  return members.filter((member) => knownMembers.has(member.name))
}

function bombOf({ tooDeepIn }: Submission): Violation {
  return tooDeepIn === null
    ? { pointer: '', detail: `has more than ${membersMax} members` }
    : { pointer: placeOf(tooDeepIn), detail: `nests deeper than ${depthMax} levels` }
}

function repeated({ name }: JsonMember): Violation {
  const pointer = placeOf(name)
  return pointer === ''
    ? { pointer, detail: 'has a member of a very long name more than once' }
    : { pointer, detail: 'appears more than once' }
}

function halved({ name }: JsonMember): Violation {
  return {
    pointer: pointerTo(name),
    detail: 'holds half a character (an unpaired surrogate escape)'
  }
}

/** A name may be as long as a body; an answer may not, so such a one is not repeated in it. */
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
