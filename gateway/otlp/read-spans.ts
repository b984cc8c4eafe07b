/** Reads the spans of a request: which of them become decisions, and which are rejected or ignored.
 */
import { isUuid } from '../../core/ids/ids.ts'
import { isLong } from '../../core/json/steps.ts'
import { Problem } from '../../core/problem.ts'
import { yieldToEventLoop } from '../../platform/process/yield-to-event-loop.ts'
import { classOf } from './classify.ts'
import type { StepKind } from './classify.ts'
import { contentOf } from './content.ts'
import { decodeTraces, readSpan } from './decode.ts'
import type { Encoding } from './decode.ts'
import { ValueError } from './span.ts'
import type { OtlpSpan, PlacedSpan, Values } from './span.ts'
import { decisionIdOf, decisionOf, resourceOf } from './span-decision.ts'
import type { Resource, SpanOrigin } from './span-decision.ts'

/** A span that becomes a decision. */
export interface Candidate {
  readonly decisionId: string
  readonly traceparent: string
  /** The body of the decision, in JSON. */
  readonly json: string
}

export interface RejectedSpan {
  /** The ids of the span as far as they are known, for example `4bf9…:00f0…`. */
  readonly where: string
  readonly reason: string
}

export interface ReadSpans {
  readonly candidates: readonly Candidate[]
  readonly rejected: readonly RejectedSpan[]
  readonly ignored: number
}

export const spansMax = 10_000

interface TracesBody {
  readonly encoding: Encoding
  readonly bytes: Buffer
  /** Spans of other kinds are ignored. */
  readonly kinds: ReadonlySet<StepKind>
}

/**
 * Reads the body. Yields to the event loop while it reads a long one.
 * @throws {Problem} 400 if the body is malformed, 413 if it has too many spans
 */
export async function readSpans({ encoding, bytes, kinds }: TracesBody): Promise<ReadSpans> {
  const rejected: RejectedSpan[] = []
  const origins: SpanOrigin[] = []
  const parents: Parents = new Map()
  const takeTurn = createTakeTurn(bytes)
  const resourceFor = createResourceFor()
  let [total, ignored] = [0, 0]
  for (const placed of decodeTraces(encoding, bytes)) {
    if (++total > spansMax) throw tooManySpans()
    await takeTurn(total)
    const origin = attempt(null, rejected, () => {
      return originOf(readSpan(encoding, placed), placed, resourceFor)
    })
    if (origin === null) continue
    if (isOf(kinds, origin)) origins.push(origin)
    else {
      ignored += 1
      noteParent(origin.span, parents)
    }
  }
  const candidates: Candidate[] = []
  for (const [index, origin] of origins.entries()) {
    await takeTurn(index)
    const candidate = attempt(origin.span, rejected, () => candidateOf(origin, parents))
    if (candidate !== null) candidates.push(candidate)
  }
  return { candidates, rejected, ignored }
}

/** Number of spans of a long body after which the event loop may run. */
const spansPerTurn = 50

/** Creates a function that yields to the event loop now and then, if the body is long. */
function createTakeTurn(bytes: Buffer): (count: number) => Promise<void> | undefined {
  const isYielding = isLong(bytes)
  return (count) => (isYielding && count % spansPerTurn === 0 ? yieldToEventLoop() : undefined)
}

/** Returns null and rejects the span if no decision can contain one of its values. */
function attempt<T>(span: OtlpSpan | null, rejected: RejectedSpan[], read: () => T): T | null {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    const where = `${span?.traceId ?? '?'}:${span?.spanId ?? '?'}`
    rejected.push({ where, reason: error.message })
    return null
  }
}

/** Converts each resource once. */
function createResourceFor(): (values: Values) => Resource {
  let latest: { values: Values; resource: Resource } | null = null
  return (values) => {
    if (latest?.values !== values) latest = { values, resource: resourceOf(values) }
    return latest.resource
  }
}

function originOf(
  span: OtlpSpan,
  { resource, scope }: PlacedSpan,
  resourceFor: (values: Values) => Resource
): SpanOrigin {
  const content = contentOf(span)
  const spanClass = classOf(content.attributes)
  return { span, spanClass, content, resource: resourceFor(resource), scope }
}

function isOf(kinds: ReadonlySet<StepKind>, { spanClass }: SpanOrigin): boolean {
  return spanClass !== null && kinds.has(spanClass.kind)
}

/** The parents of ignored spans, whose children become their children. Null for a root. */
type Parents = Map<string, string | null>

function noteParent({ traceId, spanId, parentSpanId }: OtlpSpan, parents: Parents): void {
  parents.set(`${traceId}:${spanId}`, parentSpanId)
}

/** Maximum number of ignored ancestors to skip, because they can form a cycle. */
const ancestorsMax = 32

/** Skips parents that are ignored, as far as this request contains them. */
function parentOf({ traceId, parentSpanId }: OtlpSpan, parents: Parents): string | null {
  let parent = parentSpanId
  for (let step = 0; parent !== null && step < ancestorsMax; step++) {
    const next = parents.get(`${traceId}:${parent}`)
    if (next === undefined) break
    parent = next
  }
  return parent
}

const sampled = 1
const idsMissing =
  'trace_id must have 16 bytes and span_id 8, not all zeros; logs belong to /v1/logs'

/** @throws {ValueError} if the span has no ids or no content */
function candidateOf(origin: SpanOrigin, parents: Parents): Candidate {
  const { content, span } = origin
  const { traceId, spanId, flags } = span
  if (traceId === null || spanId === null) throw new ValueError(idsMissing)
  const own = content.attributes.takeText(['sluice.decision_id'])
  if (own !== null && !isUuid(own)) throw new ValueError('sluice.decision_id must be a UUID')
  const parent = parentOf(span, parents)
  return {
    decisionId: own?.toLowerCase() ?? decisionIdOf(traceId, spanId),
    traceparent: `00-${traceId}-${spanId}-${(flags & sampled) === sampled ? '01' : '00'}`,
    json: decisionOf(origin, parent === null ? null : decisionIdOf(traceId, parent))
  }
}

function tooManySpans(): Problem {
  return new Problem('payload_too_large', {
    detail: `The request has more than ${spansMax} spans. Set a smaller batch size.`,
    members: { limit_spans: spansMax }
  })
}
