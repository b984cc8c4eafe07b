/** judge: one attempt of a claimed run, and how long it took. */
import { isOfflineKind } from '../../../core/evaluation/evaluator-definition.ts'
import type { Logger } from '../../../platform/telemetry/logger.ts'
import type { Metrics } from '../../../platform/telemetry/metrics.ts'
import type { ClaimedRun } from './claimed-run.ts'
import { noCall, permanentFailure } from './judge-outcome.ts'
import type { EvaluateOffline, Judge, JudgeOutcome } from './judge-outcome.ts'

export interface AttemptDependencies {
  readonly judge: Judge
  readonly evaluate: EvaluateOffline
  readonly metrics: Metrics
  readonly logger: Logger
  /** Aborted when the process cannot wait for calls any longer. */
  readonly signal: AbortSignal
}

export interface AttemptResult {
  readonly outcome: JudgeOutcome
  readonly durationMs: number
}

/** @throws the signal's reason, and nothing else. */
export type Attempt = (claimed: ClaimedRun) => Promise<AttemptResult>

export function createAttempt(dependencies: AttemptDependencies): Attempt {
  return async function attempt(claimed) {
    const startedAt = performance.now()
    const outcome = storable(await tryOutcome(dependencies, claimed))
    const durationMs = performance.now() - startedAt
    if (claimed.connection !== null) measure(dependencies, outcome, durationMs)
    return { outcome, durationMs }
  }
}

async function tryOutcome(
  dependencies: AttemptDependencies,
  claimed: ClaimedRun
): Promise<JudgeOutcome> {
  const { signal, logger } = dependencies
  const { run_id, evaluator_id } = claimed.run
  try {
    return await outcomeOf(dependencies, claimed)
  } catch (error) {
    signal.throwIfAborted()
    // Its message may quote the decision.
    const name = error instanceof Error ? error.name : typeof error
    logger.warn({ run_id, evaluator_id, error_name: name }, 'an evaluator failed')
    const result = permanentFailure('code_error', `the evaluator threw ${name}`)
    // Whether it had called by then is not known.
    return { result, report: { ...noCall, calls: 1 } }
  }
}

/** Abandoned rather than waited for, should it not listen to the signal. */
async function outcomeOf(
  { judge, evaluate, signal }: AttemptDependencies,
  { run, version, decision, connection }: ClaimedRun
): Promise<JudgeOutcome> {
  const { run_id } = run
  if (isOfflineKind(version.kind) || connection === null) {
    return { result: evaluate(version, decision, run_id), report: noCall }
  }
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => {
    aborted.reject(new Error('nobody waits for it any longer', { cause: signal.reason }))
  }
  signal.addEventListener('abort', abort)
  try {
    const judging = judge({ run_id, version, decision, connection, signal })
    return await Promise.race([judging, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function measure(
  { metrics }: AttemptDependencies,
  { result }: JudgeOutcome,
  durationMs: number
): void {
  const outcome = result.kind === 'scored' ? 'scored' : result.status_reason
  metrics.count('sluice_judge_calls_total', { outcome })
  metrics.observe('sluice_judge_call_seconds', {}, durationMs / 1000)
}

/** A judge is a stranger: what it says of itself must fit the columns that it goes into. */
function storable({ result, report }: JudgeOutcome): JudgeOutcome {
  const { input_tokens, output_tokens, cost_nano_usd, model_reported, latency_ms, reply } = report
  return {
    result: result.kind === 'failure' ? { ...result, message: withoutNul(result.message) } : result,
    report: {
      ...report,
      ...{ input_tokens: countOf(input_tokens), output_tokens: countOf(output_tokens) },
      cost_nano_usd: countOf(cost_nano_usd),
      latency_ms: countOf(latency_ms === null ? null : Math.round(latency_ms)),
      model_reported: model_reported === null ? null : withoutNul(model_reported),
      reply: reply === null ? null : withoutNul(reply)
    }
  }
}

function countOf(value: number | null): number | null {
  return value !== null && Number.isSafeInteger(value) && value >= 0 ? value : null
}

function withoutNul(text: string): string {
  return text.replaceAll('\0', '\uFFFD')
}
