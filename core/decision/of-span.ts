/** Decisions of spans: the id of a decision that comes from OpenTelemetry. */
import { createUuidv5 } from '../ids/ids.ts'
import type { Decision } from './decision.ts'

/** Namespace of these ids. It is public, so that anyone can compute an id from a trace. */
export const otlpNamespace = '6f0c1f5e-8a53-5b0e-9d0c-2b1f6a7c4e11'
const idOfName = createUuidv5(otlpNamespace)

/** @param span the ids of the span in hex digits: `<trace_id>:<span_id>` */
export function decisionIdOf(span: string): string {
  return idOfName(span)
}

const traceIdIn = /^\{"trace_id":"([0-9a-f]{32})"/
const spanIdIn = /,"otel":\{"span_id":"([0-9a-f]{16})"/

/**
 * Checks whether the decision comes from the span that its metadata names. A span and its log
 * records can become two decisions with the same id. Only the first is stored.
 */
export function isOfSpan({ decision_id, metadata }: Decision): boolean {
  const [, traceId = ''] = traceIdIn.exec(metadata ?? '') ?? []
  const [, spanId = ''] = spanIdIn.exec(metadata ?? '') ?? []
  return decision_id === decisionIdOf(`${traceId}:${spanId}`)
}
