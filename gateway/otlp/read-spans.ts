/** Reads the spans of a request: which of them become decisions, and which are rejected or ignored.
 */
import { isUuid } from '../../core/ids/ids.ts'
import { isLong } from '../../core/json/steps.ts'
import { Problem } from '../../core/problem.ts'
import type { ProblemCode } from '../../core/problem.ts'
import { yieldToEventLoop } from '../../platform/process/yield-to-event-loop.ts'
import { classOf } from './classify.ts'
import type { StepKind } from './classify.ts'
import { contentOf } from './content.ts'
import { decodeTraces } from './decode.ts'
import type { Encoding } from './decode.ts'
import { SpanError } from './span.ts'
import type { OtlpSpan, SpanFault, Values } from './span.ts'
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
  /** The ids of the span, for example `4bf9…:00f0…`; empty if they could not be read. */
  readonly where: string
  /** What a metric counts. */
  readonly fault: SpanFault | ProblemCode
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
  const resourceFor = createResourceFor()
  let [total, ignored] = [0, 0]
  for (const placed of await decodeTraces(encoding, bytes)) {
    if (++total > spansMax) throw tooManySpans()
    if (isLong(bytes)) await yieldToEventLoop()
    orReject(null, rejected, () => {
      const span = placed.read()
      const content = contentOf(span)
      const spanClass = classOf(content.attributes)
      if (spanClass === null || !kinds.has(spanClass.kind)) {
        ignored += 1
        noteParent(span, parents)
      } else {
        const { scope, resource } = placed
        origins.push({ span, spanClass, content, resource: resourceFor(resource), scope })
      }
    })
  }
  const candidates: Candidate[] = []
  for (const origin of origins) {
    if (isLong(bytes)) await yieldToEventLoop()
    orReject(origin.span, rejected, () => candidates.push(candidateOf(origin, parents)))
  }
  return { candidates, rejected, ignored }
}

/** Rejects the span if no decision can contain one of its values. */
function orReject(span: OtlpSpan | null, rejected: RejectedSpan[], read: () => void): void {
  try {
    read()
  } catch (error) {
    if (!(error instanceof SpanError)) throw error
    const where = span === null ? '' : `${span.traceId ?? '?'}:${span.spanId ?? '?'}`
    rejected.push({ where, fault: error.fault, reason: error.message })
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
  'trace_id must have 16 bytes and span_id 8, not all zeros. This URL accepts only traces; send ' +
  'no logs to it'

/** @throws {SpanError} if the span has no ids or no content */
function candidateOf(origin: SpanOrigin, parents: Parents): Candidate {
  const { content, span } = origin
  const { traceId, spanId, flags } = span
  if (traceId === null || spanId === null) throw new SpanError(idsMissing, 'ids_missing')
  const own = content.attributes.takeText(['sluice.decision_id'])
  if (own !== null && !isUuid(own)) throw new SpanError('sluice.decision_id must be a UUID')
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
