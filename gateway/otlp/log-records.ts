/** Log records: finds the content of calls and the scores that instrumentations send as events. */
import { decisionIdOf, otlpNamespace } from '../../core/decision/of-span.ts'
import { uuidv5 } from '../../core/ids/ids.ts'
import { evaluationEvent, isContentEvent, mergeValues } from './events.ts'
import { msOf } from './span-decision.ts'
import { idsMissing, spanValuesMax, textOf } from './span.ts'
import type { OtlpSpan, SpanDraft, SpanInPlace, Value, Values } from './span.ts'

/** The result of an evaluation, which becomes a score of the decision of its span. */
export interface SpanScore {
  /** The ids of the span. */
  readonly where: string
  /** Time of the record in milliseconds since 1970. */
  readonly at: number
  /** The score as the API takes it. Its id depends only on the record, so it is stored once. */
  readonly body: {
    readonly id: string
    readonly decision_id: string
    readonly name: string | null
    readonly value: number | boolean | null
    readonly label: string | null
    readonly reason: string | null
  }
}

interface LoggedCall extends SpanInPlace {
  readonly span: SpanDraft
  records: number
  /** Number of values. A call with more than `spanValuesMax` is not complete. */
  values: number
}

/** The records of a request, joined by the ids of their spans. */
export class LoggedCalls {
  readonly scores: SpanScore[] = []
  readonly #calls = new Map<string, LoggedCall>()

  /**
   * Returns false if the record has neither content nor a score.
   * @throws {SpanError} if the record has no ids
   */
  add({ span: record, resource, scope }: SpanInPlace): boolean {
    const { attributes } = record
    const name = record.name || textOf(attributes.get('event.name') ?? '')
    const isScore = name === evaluationEvent
    // A failed evaluation has no score.
    if (isScore ? attributes.has('error.type') : !isContentEvent(name)) return false
    const ids = idsOf(record)
    if (isScore) {
      this.scores.push(scoreOf(record, ids))
      return true
    }
    const span = {
      ...record,
      name: '',
      startNanos: 0,
      attributes: new Map<string, Value>(),
      events: []
    }
    const call = this.#calls.get(ids) ?? {
      span,
      resource,
      scope,
      records: 0,
      values: 0,
      isLogged: true
    }
    this.#calls.set(ids, call)
    const [body = { attributes: new Map<string, Value>() }] = record.events
    call.values += valuesIn(attributes) + valuesIn(body.attributes)
    call.records += 1
    if (call.values > spanValuesMax) return true
    call.span.isError ||= attributes.has('error.type')
    call.span.endNanos = Math.max(call.span.endNanos, timeOf(record))
    attributes.delete('event.name')
    mergeValues(call.span.attributes, attributes)
    call.span.events.push({ name, attributes: body.attributes })
    return true
  }

  [Symbol.iterator](): Iterator<LoggedCall> {
    return this.#calls.values()
  }
}

/** Returns the number of values, with those of lists. */
function valuesIn(values: Values): number {
  let count = 1
  for (const value of values.values()) count += Array.isArray(value) ? value.length : 1
  return count
}

function idsOf({ traceId, spanId }: OtlpSpan): string {
  if (traceId === null || spanId === null) throw idsMissing()
  return `${traceId}:${spanId}`
}

/** Returns the time of the record, or else when it was observed, in nanoseconds. */
function timeOf({ startNanos, endNanos }: OtlpSpan): number {
  return startNanos || endNanos
}

function scoreOf(record: OtlpSpan, where: string): SpanScore {
  const { attributes } = record
  const textAt = (key: string) => {
    const value = attributes.get(`gen_ai.evaluation.${key}`) ?? ''
    return value === '' ? null : textOf(value)
  }
  const own = attributes.get('sluice.decision_id')
  const said = {
    name: textAt('name'),
    value: numberOf(attributes.get('gen_ai.evaluation.score.value')),
    label: textAt('score.label'),
    reason: textAt('explanation')
  }
  return {
    where,
    at: msOf(timeOf(record)),
    body: {
      // Two results of the same evaluation can have the same time.
      id: uuidv5(otlpNamespace, `${where}:score:${timeOf(record)}:${JSON.stringify(said)}`),
      decision_id: own === undefined ? decisionIdOf(where) : textOf(own),
      ...said
    }
  }
}

function numberOf(value: Value | undefined): number | boolean | null {
  if (typeof value === 'bigint') return Number(value)
  return typeof value === 'number' || typeof value === 'boolean' ? value : null
}
