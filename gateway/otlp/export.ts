/** Ingests exports of OpenTelemetry: spans of agents, and log records with the content of calls,
 * become decisions, which are ingested as a batch. Results of evaluations become scores.
 *
 *     POST /v1/traces, POST /v1/logs
 *       ├─ authenticate ─▶ 401 · 403 · 503, or 429 before the body is read
 *       ├─ decode ───────▶ 400 not OTLP · 413 too large, or too many spans · 415
 *       ├─ read spans ───▶ span: ignored · rejected, because it has no ids or no content
 *       ├─ read decisions ▶ span: rejected as an invalid decision · 503 schema not loaded
 *       ├─ rate-limit ───▶ 429 unless every span fits · 413 if they can never fit
 *       ├─ produce ──────▶ 503 if any decision is not acknowledged
 *       ├─ push scores ──▶ score: rejected · 503 if its decision may be stored later
 *       └─ answer ───────▶ 200, with a partial success if spans can never be accepted
 *
 * A request that gets 429 or 503 is sent again as a whole. The decision_id of a span depends only
 * on its ids, so the decisions that were acknowledged the first time are stored once.
 */
import type { Authenticate } from '../../auth/authenticate.ts'
import { Problem, problems } from '../../core/problem.ts'
import type { KeyPrincipal } from '../../core/principal.ts'
import type { FairShare } from '../../http/admission/fair-share.ts'
import { authorizationOf } from '../../http/admission/known-callers.ts'
import type { ReportRejection } from '../../http/admission/report-rejections.ts'
import { unsupportedMediaType } from '../../http/body/require-json.ts'
import type { Call, Reply, WorkShare } from '../../http/call.ts'
import { BufferPool } from '../../platform/process/buffer-pool.ts'
import type { Logger } from '../../platform/telemetry/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics.ts'
import type { Attempt } from '../ingest/attempt.ts'
import type { CountUsage } from '../ingest/count-usage.ts'
import type { DecisionBatch } from '../ingest/decision-batch.ts'
import type { TakeAgents } from '../ingest/limit-agent.ts'
import type { FindSpent, LimitWhole } from '../ingest/limit-rate.ts'
import type { Outcomes } from '../ingest/outcomes.ts'
import type { Produce } from '../ingest/produce.ts'
import type { ReadDecisions } from '../ingest/read-decisions.ts'
import { failure, success } from './answer.ts'
import { stepKinds } from './classify.ts'
import type { StepKind } from './classify.ts'
import { contentTypes, encodingOf, malformed } from './decode.ts'
import type { Encoding } from './decode.ts'
import { createPause, lengthOf, readSpans, recordsOf } from './read-spans.ts'
import type { Candidate, ReadSpans, RejectedSpan } from './read-spans.ts'
import type { PushSpanScores } from './push-span-scores.ts'
import type { Signal } from './span.ts'

interface ExportDependencies {
  readonly authenticate: Authenticate
  readonly findSpent: FindSpent
  readonly shareLong: FairShare
  readonly readBatch: ReadDecisions
  readonly limitWhole: LimitWhole
  readonly takeAgents: TakeAgents
  readonly produce: Produce
  readonly outcomes: Outcomes
  readonly usage: CountUsage
  readonly metrics: Metrics
  readonly logger: Logger
  readonly pushSpanScores: PushSpanScores
  readonly reportRejection: ReportRejection
}

/** Maximum size of the decompressed body in bytes, as the protocol recommends. */
export const exportBytesMax = 20 * 1024 * 1024
export const kindsHeader = 'sluice-otlp-kinds'
const defaultKinds: ReadonlySet<StepKind> = new Set(['agent', 'decision', 'generation'])

/** Creates the handler of the requests with spans, or of those with log records. */
export function createExport(signal: Signal, dependencies: ExportDependencies) {
  const { authenticate, findSpent, shareLong, readBatch, limitWhole, takeAgents } = dependencies
  const { produce, pushSpanScores, outcomes } = dependencies
  const countOutcomes = createCountOutcomes(signal, dependencies)
  const fail = createFail(dependencies)

  async function take(attempt: Attempt, batches: DecisionBatch[]): Promise<Reply> {
    const { call } = attempt
    const principal = (attempt.principal = await authenticate(
      authorizationOf(call.headers),
      'ingest'
    ))
    const { organization_id: organizationId } = principal
    const spent = (attempt.quota = findSpent(principal))
    if (spent !== null) throw spent.problem
    const encoding = requireEncoding(call)
    const kinds = kindsOf(call.headers[kindsHeader])
    const inShare: WorkShare = (work) => shareLong(organizationId, work)
    const spans = await call.useBody(
      { bytesMax: exportBytesMax, sharedBy: organizationId, inShare },
      async (bytes) => {
        const read = await readSpans({ signal, encoding, bytes }, kinds)
        const pause = createPause(bytes)
        for (const some of groupsOf(read.candidates)) {
          await pause()
          const request = requestOf(some, principal)
          batches.push(await useEnvelope(some, (body) => readBatch(body, request)))
        }
        return read
      }
    )
    throwRetryable(batches)
    const giveBack = await takeAgents(batches, organizationId)
    const limiting = limitWhole(principal, pointsOf(spans))
    const quota = (attempt.quota = await limiting.catch((error) => {
      giveBack()
      throw error
    }))
    await Promise.all(batches.map(produce))
    throwRetryable(batches)
    const unscored = await pushSpanScores(principal, spans.scores)
    const rejected = countOutcomes(attempt, { batches, spans, unscored })
    return success({ signal, encoding }, rejected, quota.headers)
  }

  return async function takeExport(call: Call): Promise<Reply> {
    const attempt = outcomes.begin(call)
    const batches: DecisionBatch[] = []
    try {
      return await take(attempt, batches)
    } catch (error) {
      return await fail(attempt, error)
    } finally {
      for (const batch of batches) batch.release()
    }
  }
}

/** Creates a function that returns the response to a request that failed. */
function createFail({ outcomes, logger, reportRejection }: ExportDependencies) {
  return async function fail(attempt: Attempt, error: unknown): Promise<Reply> {
    const { headers, request_id: requestId } = attempt.call
    const encoding = encodingOf(headers['content-type']) ?? 'json'
    const problem = await outcomes.reject(attempt, error)
    if (problem instanceof Problem) {
      reportRejection(problem, requestId)
      return failure(encoding, problem, requestId)
    }
    logger.error({ error, request_id: requestId }, 'request failed unexpectedly')
    return failure(encoding, unexpected, requestId)
  }
}

/** The results of an accepted request. */
interface Accepted {
  readonly batches: readonly DecisionBatch[]
  readonly spans: ReadSpans
  readonly unscored: readonly RejectedSpan[]
}

const spanCounters = {
  traces: 'sluice_otlp_spans_total',
  logs: 'sluice_otlp_log_records_total'
} as const

/**
 * Creates a function that counts the outcome of each decision, and of each span or log record. It
 * returns all that are rejected.
 */
function createCountOutcomes(signal: Signal, dependencies: ExportDependencies) {
  const { outcomes, usage, metrics } = dependencies
  const count = (outcome: string, by: number): void => {
    metrics.count(spanCounters[signal], { outcome }, by)
  }

  function countDecisions(attempt: Attempt, batches: readonly DecisionBatch[]): void {
    let queued = 0
    for (const batch of batches) {
      attempt.batch = batch
      for (const problem of batch.problems) {
        if (problem === null) queued += 1
        else outcomes.count('rejected', problem.code)
      }
      usage.rejectedEach(attempt)
    }
    if (queued > 0) outcomes.count('queued', '', queued)
    usage.accepted(attempt, queued)
  }

  /** Shows one span of each fault to the owner of the key: few exporters log a rejection. */
  function noteRejected(attempt: Attempt, rejected: readonly RejectedSpan[]): void {
    attempt.batch = null
    for (const { reason } of new Map(rejected.map((each) => [each.fault, each])).values()) {
      usage.rejected(attempt, new Problem('invalid_decision', { detail: reason }))
    }
  }

  return function countOutcomes(attempt: Attempt, { batches, spans, unscored }: Accepted) {
    countDecisions(attempt, batches)
    noteRejected(attempt, spans.rejected)
    const { candidates, scores, ignored } = spans
    const unqueued = rejectedIn(batches, candidates)
    const rejected = [...spans.rejected, ...unqueued, ...unscored]
    count('queued', recordsOf(candidates) - recordsOf(unqueued))
    if (signal === 'logs') count('scored', scores.length - unscored.length)
    count('rejected', recordsOf(rejected))
    count('ignored', ignored)
    for (const { fault, records } of rejected) {
      metrics.count('sluice_otlp_rejected_total', { reason: fault }, records)
    }
    return rejected
  }
}

/** Instead of a 500, after which an exporter drops its spans. */
const unexpected = new Problem('overloaded', {
  detail: 'The request failed unexpectedly. The server logs the cause under the request_id.',
  headers: { 'retry-after': '5' }
})

/** @throws {Problem} 400 if the header names an unknown kind */
function kindsOf(header: string | string[] | undefined): ReadonlySet<StepKind> {
  if (header === undefined) return defaultKinds
  const names = String(header)
    .split(',')
    .map((name) => name.trim())
  const chosen = stepKinds.filter((kind) => names.includes(kind))
  if (chosen.length === names.length) return new Set(chosen)
  throw malformed(`The header ${kindsHeader} must be a list of: ${stepKinds.join(', ')}.`)
}

/** @throws {Problem} 415 if the Content-Type is not one of OTLP */
function requireEncoding({ headers }: Call): Encoding {
  const contentType = headers['content-type']
  const encoding = encodingOf(contentType)
  if (encoding !== null) return encoding
  throw unsupportedMediaType(contentType, Object.values(contentTypes).join(', '))
}

/** Maximum number of decisions and characters of an envelope, so that the kernel reads it. */
const groupMax = 1000
const groupCharactersMax = 256 * 1024

/** Splits the candidates into groups that are short enough for the kernel. */
function groupsOf(candidates: readonly Candidate[]): Candidate[][] {
  const groups: Candidate[][] = []
  let characters = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const length = lengthOf(candidate)
    const isFull = groups.at(-1)?.length === groupMax || characters + length > groupCharactersMax
    if (isFull) {
      groups.push([])
      characters = 0
    }
    groups.at(-1)?.push(candidate)
    characters += length
  }
  return groups
}

const [head, tail] = ['{"decisions":[', ']}']
const envelopes = new BufferPool()
/** Maximum number of UTF-8 bytes per UTF-16 unit. */
const bytesPerUnitMax = 3
/** Minimum number of characters that are written at once, unless copied bytes follow. */
const writtenMin = 4096

/** Writes the body of a batch for `use`. */
async function useEnvelope<T>(
  candidates: readonly Candidate[],
  use: (body: Buffer) => Promise<T>
): Promise<T> {
  let bytes = head.length + tail.length + candidates.length
  for (const { json } of candidates) {
    for (const part of json) bytes += part.length * (typeof part === 'string' ? bytesPerUnitMax : 1)
  }
  const buffer = envelopes.take(bytes)
  try {
    return await use(buffer.subarray(0, writeEnvelope(buffer, candidates)))
  } finally {
    for (const candidate of candidates) candidate.json = []
    envelopes.give(buffer)
  }
}

/**
 * Returns the number of bytes written. Few strings are written at once, because joining all of them
 * took 3 µs for each decision.
 */
function writeEnvelope(buffer: Buffer, candidates: readonly Candidate[]): number {
  let [at, text] = [0, '']
  for (const [index, { json }] of candidates.entries()) {
    text += index === 0 ? head : ','
    for (const part of json) {
      const isString = typeof part === 'string'
      if (isString) text += part
      if (isString && text.length < writtenMin) continue
      at += buffer.write(text, at)
      if (!isString) at += part.copy(buffer, at)
      text = ''
    }
  }
  return at + buffer.write(text + tail, at)
}

function requestOf(candidates: readonly Candidate[], principal: KeyPrincipal) {
  return {
    principal,
    headers: { 'content-type': 'application/json' },
    idAt: (index: number) => candidates[index]?.decisionId ?? null,
    traceparentAt: (index: number) => candidates[index]?.traceparent ?? ''
  }
}

/** Rejected spans cost as much as accepted ones, because reading them takes work, too. */
function pointsOf({ candidates, scores, rejected }: ReadSpans): number {
  return Math.max(1, candidates.length + scores.length + rejected.length)
}

/** Throws the first temporary failure, because the whole request is sent again. */
function throwRetryable(batches: readonly DecisionBatch[]): void {
  for (const { problems: found } of batches) {
    const retryable = found.find((problem) => problem !== null && problems[problem.code].retryable)
    if (retryable) throw retryable
  }
}

function rejectedIn(
  batches: readonly DecisionBatch[],
  candidates: readonly Candidate[]
): RejectedSpan[] {
  const found = batches.flatMap(({ problems: some }) => some)
  return found.flatMap((problem, index) => {
    if (problem === null) return []
    const { traceparent = '', records = 1 } = candidates[index] ?? {}
    const where = traceparent.slice(3, -3).replace('-', ':')
    return [{ where, fault: problem.code, reason: problem.message, records }]
  })
}
