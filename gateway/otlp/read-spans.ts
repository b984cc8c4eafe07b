/** Reads the spans of a request: which of them become decisions, and which are rejected or ignored.
 */
import { decisionIdOf } from '../../core/decision/of-span.ts'
import { isUuid } from '../../core/ids/ids.ts'
import { isLong } from '../../core/json/steps.ts'
import { Problem } from '../../core/problem.ts'
import type { ProblemCode } from '../../core/problem.ts'
import { yieldToEventLoop } from '../../platform/process/yield-to-event-loop.ts'
import { classOf } from './classify.ts'
import type { StepKind } from './classify.ts'
import type { JsonPart } from './content.ts'
import { decode, problemOf } from './decode.ts'
import type { OtlpBody } from './decode.ts'
import { contentOf } from './events.ts'
import { LoggedCalls } from './log-records.ts'
import type { SpanScore } from './log-records.ts'
import { SpanError, idsMissing, spanValuesMax, tooManyValues } from './span.ts'
import type { OtlpSpan, SpanFault, SpanInPlace, Values } from './span.ts'
import { decisionOf, parentIdOf, resourceOf, shortText } from './span-decision.ts'
import type { Resource, SpanOrigin } from './span-decision.ts'

/** A span that becomes a decision. */
export interface Candidate {
  readonly decisionId: string
  readonly traceparent: string
  /** The body of the decision, in JSON; empty after it was read, to free the memory. */
  json: readonly JsonPart[]
  /** See `SpanInPlace`. */
  readonly records: number
}

export interface RejectedSpan {
  /** The ids of the span, for example `4bf9…:00f0…`; empty if they could not be read. */
  readonly where: string
  /** What a metric counts. */
  readonly fault: SpanFault | ProblemCode
  readonly reason: string
  readonly records: number
}

export interface ReadSpans {
  readonly candidates: readonly Candidate[]
  readonly scores: readonly SpanScore[]
  readonly rejected: readonly RejectedSpan[]
  readonly ignored: number
}

/** Maximum number of spans or log records of a request. */
export const spansMax = 10_000
/** Maximum length of all decisions of a request, in characters. Each repeats its resource. */
const decisionsMax = 32 * 1024 * 1024

/**
 * Reads the body. Yields to the event loop while it reads a long one.
 * @param kinds spans of other kinds are ignored
 * @throws {Problem} 400 if the body is malformed, 413 if it has too many spans
 */
export async function readSpans(body: OtlpBody, kinds: ReadonlySet<StepKind>): Promise<ReadSpans> {
  const pause = createPause(body.bytes)
  const selected = new SelectedSpans(kinds)
  const calls = new LoggedCalls()
  let total = 0
  try {
    for (const { resource, scope, read } of await decode(body)) {
      if (++total > spansMax) throw tooManySpans()
      await pause()
      selected.orReject(null, () => {
        const place = { span: read(), resource, scope, records: 1 }
        if (body.signal === 'traces') selected.select(place)
        else if (!calls.add(place)) selected.ignored += 1
      })
    }
  } catch (error) {
    throw problemOf(body, error)
  }
  for (const call of calls) {
    await pause()
    selected.orReject(call, () => {
      if (call.values > spanValuesMax) throw tooManyValues()
      selected.select(call)
    })
  }
  const candidates: Candidate[] = []
  let length = 0
  for (const origin of selected.origins) {
    await pause()
    selected.orReject(origin, () => {
      const candidate = candidateOf(origin, selected.parents)
      length += lengthOf(candidate)
      candidates.push(candidate)
    })
    if (length > decisionsMax) throw tooLong()
  }
  const { rejected, ignored } = selected
  return { candidates, scores: calls.scores, rejected, ignored }
}

/** Time in milliseconds for which a short body is read without a pause. */
const readMsMax = 10

/**
 * Creates a function that yields to the event loop while a long body is read, or a short one with
 * much work. Short bodies usually are read at once: what many requests have half read at the same
 * time costs the garbage collector more than the reading.
 */
export function createPause(bytes: Buffer): () => Promise<void> | undefined {
  const begin = performance.now()
  return () => {
    const isDue = isLong(bytes) || performance.now() - begin > readMsMax
    return isDue ? yieldToEventLoop() : undefined
  }
}

/** Sorts the spans into those that become decisions, and those that do not. */
class SelectedSpans {
  readonly origins: SpanOrigin[] = []
  readonly rejected: RejectedSpan[] = []
  readonly parents: Parents = new Map()
  ignored = 0
  readonly #kinds: ReadonlySet<StepKind>
  readonly #resourceFor = createResourceFor()

  constructor(kinds: ReadonlySet<StepKind>) {
    this.#kinds = kinds
  }

  select(place: SpanInPlace): void {
    const { span, records } = place
    const content = contentOf(span)
    const spanClass = classOf(content)
    shortText('the name of the scope', place.scope)
    if (spanClass === null || !this.#kinds.has(spanClass.kind)) {
      this.ignored += records
      noteParent(span, this.parents)
      return
    }
    const resource = this.#resourceFor(place.resource)
    this.origins.push({ ...place, spanClass, content, resource })
  }

  /** Rejects the span if no decision can contain one of its values. */
  orReject(of: Omit<SpanInPlace, 'resource'> | null, read: () => void): void {
    try {
      read()
    } catch (error) {
      if (!(error instanceof SpanError)) throw error
      const where = of === null ? '' : `${of.span.traceId ?? '?'}:${of.span.spanId ?? '?'}`
      const { fault, message: reason } = error
      this.rejected.push({ where, fault, reason, records: of?.records ?? 1 })
    }
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
/** @throws {SpanError} if the span has no ids or no content */
function candidateOf(origin: SpanOrigin, parents: Parents): Candidate {
  const { content, span, records } = origin
  const { traceId, spanId, flags } = span
  if (traceId === null || spanId === null) throw idsMissing()
  const own = content.attributes.takeText(['sluice.decision_id'])
  if (own !== null && !isUuid(own)) throw new SpanError('sluice.decision_id must be a UUID')
  const parent = parentOf(span, parents)
  return {
    decisionId: own?.toLowerCase() ?? decisionIdOf(`${traceId}:${spanId}`),
    traceparent: `00-${traceId}-${spanId}-${(flags & sampled) === sampled ? '01' : '00'}`,
    json: decisionOf(origin, parent === null ? null : parentIdOf(`${traceId}:${parent}`)),
    records
  }
}

/** Returns the number of characters and of copied bytes. */
export function lengthOf({ json }: Candidate): number {
  let length = 0
  for (const part of json) length += part.length
  return length
}

function tooLong(): Problem {
  return new Problem('payload_too_large', {
    detail: `The decisions have more than ${decisionsMax} characters. Set a smaller batch size.`,
    members: { limit_bytes: decisionsMax }
  })
}

function tooManySpans(): Problem {
  return new Problem('payload_too_large', {
    detail: `The request has more than ${spansMax} spans or log records. Set a smaller batch size.`,
    members: { limit_spans: spansMax }
  })
}

/** Returns the number of spans or log records. */
export function recordsOf(spans: readonly { readonly records: number }[]): number {
  return spans.reduce((sum, { records }) => sum + records, 0)
}
