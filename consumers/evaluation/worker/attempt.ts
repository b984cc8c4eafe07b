/** Makes one attempt to execute a claimed run, and measures how long the attempt takes. */
import { isOfflineKind } from '../../../core/evaluation/evaluator-definition.ts'
import { noCall, permanentFailure } from './judge-outcome.ts'
import type { JudgeOutcome } from './judge-outcome.ts'
import type { ClaimedRun } from './pending-run.ts'
import type { WorkerContext } from './worker-context.ts'

/**
 * Makes an attempt. An evaluator failure is returned as an outcome, not thrown.
 * @throws only if the signal is aborted
 */
export async function attempt(context: WorkerContext, claimed: ClaimedRun) {
  const startedAt = performance.now()
  const outcome = storable(await tryOutcome(context, claimed))
  const durationMs = performance.now() - startedAt
  if (claimed.connection !== null) measure(context, outcome, durationMs)
  return { outcome, durationMs }
}

async function tryOutcome(context: WorkerContext, claimed: ClaimedRun): Promise<JudgeOutcome> {
  const { signal, logger } = context
  const { run_id, evaluator_id } = claimed.run
  try {
    return await outcomeOf(context, claimed)
  } catch (error) {
    signal.throwIfAborted()
    // Logs only the name of the error, because its message may quote the decision.
    const name = error instanceof Error ? error.name : typeof error
    logger.warn({ run_id, evaluator_id, error_name: name }, 'evaluator failed')
    const result = permanentFailure('code_error', `the evaluator threw ${name}`)
    // Counts one call, because it is unknown whether the judge was called.
    return { result, report: { ...noCall, calls: 1 } }
  }
}

/** Runs the evaluator or the judge. Does not wait for a judge that ignores the signal. */
async function outcomeOf(
  { judge, evaluate, signal }: WorkerContext,
  { run, version, decision, connection }: ClaimedRun
): Promise<JudgeOutcome> {
  const { run_id } = run
  if (isOfflineKind(version.kind) || connection === null) {
    return { result: evaluate(version, decision, run_id), report: noCall }
  }
  signal.throwIfAborted()
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => {
    aborted.reject(new Error('the call was abandoned', { cause: signal.reason }))
  }
  signal.addEventListener('abort', abort)
  try {
    const judging = judge({ run_id, version, decision, connection, signal })
    return await Promise.race([judging, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

function measure({ metrics }: WorkerContext, { result }: JudgeOutcome, durationMs: number): void {
  const outcome = result.kind === 'scored' ? 'scored' : result.status_reason
  metrics.count('sluice_judge_calls_total', { outcome })
  metrics.observe('sluice_judge_call_seconds', {}, durationMs / 1000)
}

/**
 * Replaces values from an external judge that the database columns cannot store: U+0000 and invalid
 * counts.
 */
function storable({ result, report }: JudgeOutcome): JudgeOutcome {
  const { input_tokens, output_tokens, cost_nano_usd, model_reported, latency_ms, reply } = report
  return {
    result: result.kind === 'failure' ? { ...result, message: withoutNul(result.message) } : result,
    report: {
      ...report,
      input_tokens: countOf(input_tokens),
      output_tokens: countOf(output_tokens),
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
