/** An evaluator on some decisions, now: what each would get, and what that took. */
import { isOfflineKind } from '../../core/evaluation/evaluator-definition.ts'
import type { EvaluatorVersion } from '../../core/evaluation/evaluator-definition.ts'
import type { Decision } from '../../core/decision/decision.ts'
import type { Finding } from '../../evaluators/evaluator.ts'
import { judge } from '../../evaluators/judge/judge.ts'
import { scoreOf } from '../../evaluators/score-of.ts'
import { createAtMost } from '../../platform/process/at-most.ts'
import type { JudgeClient } from '../../platform/llm/judge-client.ts'
import { addUsd, usdOf } from '../../core/evaluation/usd.ts'
import type { TenantCompute } from './tenant-compute.ts'
import type { TestItem } from './test-items.ts'

export interface TestResult {
  readonly decision_id: string | null
  readonly status: 'succeeded' | 'failed' | 'skipped'
  readonly status_reason: string | null
  readonly score: ReturnType<typeof shownScore> | null
  readonly duration_ms: number
  readonly error: string | null
  /** Null for what makes no call. */
  readonly usage: Usage | null
}

export interface Usage {
  readonly calls: number
  readonly input_tokens: number | null
  readonly output_tokens: number | null
  /** Null when the price is not known. */
  readonly usd: number | null
}

type Outcome = Omit<TestResult, 'decision_id'>

/** Runs on one decision. */
export type TryEvaluator = (decision: Decision) => Promise<Outcome>

const callsAtOnce = 4
export const tryTimeoutMs = 60_000

const nothing = {
  ...{ status_reason: null, score: null, duration_ms: 0, error: null, usage: null }
} as const

/** All items in their order; one that takes too long spoils no other. */
export async function tryItems(
  items: readonly TestItem[],
  tryEvaluator: TryEvaluator
): Promise<TestResult[]> {
  const atMost = createAtMost(callsAtOnce)
  return Promise.all(
    items.map(({ decision_id, read }) =>
      atMost(async (): Promise<TestResult> => {
        const decision = await read()
        if (decision === null) {
          const status_reason = 'decision_not_found'
          return { decision_id, status: 'skipped', ...nothing, status_reason }
        }
        return { decision_id, ...(await tryEvaluator(decision)) }
      })
    )
  )
}

/** Of a kind that needs no network. */
export function createTryOffline(
  version: EvaluatorVersion,
  compute: Pick<TenantCompute, 'try'>
): TryEvaluator {
  return async function tryOffline(decision) {
    const tried = await compute.try(version, decision)
    const duration_ms = tried.duration_us / 1000
    if (tried.status === 'succeeded') {
      const score = shownScore(version, tried.finding)
      return { status: 'succeeded', ...nothing, score, duration_ms }
    }
    const { status, status_reason } = tried
    return { status, ...nothing, status_reason, duration_ms }
  }
}

const tooMuch = 'the other decisions took all the time there is for a test'

export function createTryJudge(
  version: EvaluatorVersion,
  client: JudgeClient,
  signal: AbortSignal
): TryEvaluator {
  return async function tryJudge(decision) {
    try {
      return outcomeOf(version, await judge(version, decision, { client, signal }))
    } catch (error) {
      if (!signal.aborted) throw error
      return { status: 'failed', ...nothing, status_reason: 'timeout', error: tooMuch }
    }
  }
}

type Judgement = Awaited<ReturnType<typeof judge>>

function outcomeOf(version: EvaluatorVersion, judgement: Judgement): Outcome {
  const { outcome, usage: tokens, cost_nano_usd, calls, latency_ms: duration_ms } = judgement
  const usd = cost_nano_usd === null ? null : usdOf(cost_nano_usd)
  const usage = { calls, ...tokens, usd }
  if (outcome.kind === 'finding') {
    const score = shownScore(version, outcome)
    return { status: 'succeeded', ...nothing, score, duration_ms, usage }
  }
  const { status_reason } = outcome
  if (outcome.kind === 'skipped') {
    return { status: 'skipped', ...nothing, status_reason, duration_ms, usage }
  }
  const error = outcome.message
  return { status: 'failed', ...nothing, status_reason, duration_ms, error, usage }
}

/** Whether it can be tried at all. */
export function isTriable({ kind }: Pick<EvaluatorVersion, 'kind'>): boolean {
  return isOfflineKind(kind) || kind === 'llm_judge'
}

/** As it would be stored, without the ids that only a stored one has. */
function shownScore({ output }: EvaluatorVersion, finding: Finding) {
  const { name, data_type, value, label, passed, reason, ...score } = scoreOf('', output, finding)
  const { normalized, confidence, evidence } = score
  return {
    ...{ name, data_type, value, label, passed, reason, normalized, confidence },
    evidence: evidence === null ? null : (JSON.parse(evidence) as unknown)
  }
}

/** Of all items together; what one does not know is not known of all. */
export function totalUsage(results: readonly TestResult[]): Usage {
  const used = results.flatMap(({ usage }) => usage ?? [])
  const sumOf = (name: 'input_tokens' | 'output_tokens' | 'usd'): number | null =>
    used.reduce<number | null>((sum, usage) => {
      const part = usage[name]
      if (sum === null || part === null) return null
      return name === 'usd' ? addUsd(sum, part) : sum + part
    }, 0)
  return {
    calls: used.reduce((sum, { calls }) => sum + calls, 0),
    ...{ input_tokens: sumOf('input_tokens'), output_tokens: sumOf('output_tokens') },
    usd: sumOf('usd')
  }
}
